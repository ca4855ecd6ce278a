// Draws one slice on a canvas: the image in its window, errors as areas, outlines, and a ring around an error.

/** The colors of the error map, from the style sheet, so that the switch of the page chooses them. */
function errorColors() {
  const style = getComputedStyle(document.querySelector("main"));
  return [0, 1, 2, 3, 4].map((code) => ({
    color: style.getPropertyValue("--code" + code).trim(),
    opacity: Number(style.getPropertyValue("--alpha" + code)),
  }));
}

/** Gray values of the image from `low` to `high` (0 to 255) from black to white. */
function windowed(opened, slice, low, high) {
  const { pack, picture } = opened;
  const [height, width] = pack.tile;
  const [blockHeight, blockWidth] = [Math.ceil(height / 8) * 8, Math.ceil(width / 8) * 8];
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const [row, column] = [Math.floor(slice / pack.across), slice % pack.across];
  context.drawImage(picture, column * blockWidth, row * blockHeight, width, height, 0, 0, width, height);
  const pixels = context.getImageData(0, 0, width, height);
  const table = new Uint8ClampedArray(256);
  for (let value = 0; value < 256; value += 1) table[value] = (255 * (value - low)) / Math.max(high - low, 1e-6);
  for (let place = 0; place < pixels.data.length; place += 4) {
    const gray = table[pixels.data[place]];
    pixels.data[place] = pixels.data[place + 1] = pixels.data[place + 2] = gray;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

/** A canvas with one pixel per pixel of the label maps, colored by `colorOf(place)`, which gives null for nothing. */
function painted(pack, slice, colorOf) {
  const canvas = element("canvas", { width: pack.columns, height: pack.rows });
  const context = canvas.getContext("2d");
  const first = slice * pack.rows * pack.columns;
  for (let row = 0; row < pack.rows; row += 1) {
    for (let column = 0; column < pack.columns; ) {
      const color = colorOf(first + row * pack.columns + column);
      let end = column + 1;
      while (end < pack.columns && colorOf(first + row * pack.columns + end) === color) end += 1;
      if (color) {
        context.fillStyle = color;
        context.fillRect(column, row, end - column, 1);
      }
      column = end;
    }
  }
  return canvas;
}

/** The borders between different labels of a slice as a path on a canvas of this size. */
function outline(pack, maps, slice, width, height) {
  const path = new Path2D();
  const first = slice * pack.rows * pack.columns;
  const [x, y] = [width / pack.columns, height / pack.rows];
  const at = (row, column) =>
    row < 0 || column < 0 || row >= pack.rows || column >= pack.columns ? 0 : maps[first + row * pack.columns + column];
  for (let row = 0; row <= pack.rows; row += 1) {
    for (let column = 0; column <= pack.columns; column += 1) {
      const here = at(row, column);
      if (here !== at(row - 1, column)) {
        path.moveTo(column * x, row * y);
        path.lineTo((column + 1) * x, row * y);
      }
      if (here !== at(row, column - 1)) {
        path.moveTo(column * x, row * y);
        path.lineTo(column * x, (row + 1) * y);
      }
    }
  }
  return path;
}

function stroke(context, path, color, width, dashes = []) {
  context.setLineDash(dashes);
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke(path);
  context.setLineDash([]);
}

/**
 * view: {slice, low, high, overlays, errorsOf (reader or null), outlinesOf (Set of readers), truth, contested,
 * marked ([column, row] or null)}.
 */
function drawSlice(canvas, opened, view) {
  const { pack } = opened;
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  context.fillStyle = "#000";
  context.fillRect(0, 0, width, height);
  if (opened.picture) {
    context.imageSmoothingEnabled = true;
    context.drawImage(windowed(opened, view.slice, view.low, view.high), 0, 0, width, height);
  }
  const thin = Math.max(1, Math.min(width, height) / 300);
  if (view.overlays) drawOverlays(context, opened, view, thin);
  if (view.marked) drawRing(context, pack, view.marked, width, height, thin);
  drawSides(context, pack, width, height);
}

function drawOverlays(context, opened, view, thin) {
  const { pack, truth, labels, contested } = opened;
  const { width, height } = context.canvas;
  const drawn = labels.get(view.errorsOf);
  context.imageSmoothingEnabled = false;
  if (drawn) {
    const colors = errorColors();
    for (const code of [1, 2, 3, 4]) {
      const { color, opacity } = colors[code];
      const area = painted(pack, view.slice, (place) => (errorCode(drawn[place], truth[place]) === code ? color : null));
      context.globalAlpha = opacity * (code === 1 ? 0.5 : 0.9);
      context.drawImage(area, 0, 0, width, height);
    }
    context.globalAlpha = 1;
  }
  for (const reader of view.outlinesOf) {
    const maps = labels.get(reader);
    if (maps) stroke(context, outline(pack, maps, view.slice, width, height), report.colors[reader], 2 * thin);
  }
  if (view.contested && contested) {
    const path = outline(pack, contested, view.slice, width, height);
    stroke(context, path, "#000", 3 * thin);
    stroke(context, path, "#ff7df2", 1.6 * thin, [2 * thin, 3 * thin]);
  }
  if (view.truth) {
    const path = outline(pack, truth, view.slice, width, height);
    stroke(context, path, "#000", 2.4 * thin);
    stroke(context, path, "#fff", 1.4 * thin, [5 * thin, 4 * thin]);
  }
}

function drawRing(context, pack, [column, row], width, height, thin) {
  const path = new Path2D();
  const radius = Math.max(12 * thin, Math.min(width, height) / 18);
  path.arc(((column + 0.5) * width) / pack.columns, ((row + 0.5) * height) / pack.rows, radius, 0, 2 * Math.PI);
  stroke(context, path, "#000", 4 * thin);
  stroke(context, path, "#ffe800", 2 * thin);
}

/** The letters of the patient's sides at the edges of the picture. */
function drawSides(context, pack, width, height) {
  context.font = `600 ${Math.max(12, Math.min(width, height) / 24)}px sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const [letter, x, y] of [
    [pack.left, width * 0.03, height / 2],
    [pack.top, width / 2, height * 0.035],
  ]) {
    context.strokeStyle = "#000";
    context.lineWidth = 3;
    context.strokeText(letter, x, y);
    context.fillStyle = "#fff";
    context.fillText(letter, x, y);
  }
}
