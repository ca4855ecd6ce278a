// What the page holds about cases and errors, and how packed label maps are read.

const report = JSON.parse(document.getElementById("data").textContent);

/** A sentence of the page's language with its gaps filled. */
function say(key, gaps = {}) {
  return report.words[key].replace(/\{(\w+)\}/g, (whole, name) => (name in gaps ? String(gaps[name]) : whole));
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Label maps, slice after slice: each row is stored as what differs from the row above. */
async function unpacked(text, rows, columns) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const maps = new Uint8Array(await new Response(stream).arrayBuffer());
  const slice = rows * columns;
  for (let place = columns; place < maps.length; place += 1) {
    if (place % slice >= columns) maps[place] ^= maps[place - columns];
  }
  return maps;
}

async function pictureOf(text) {
  if (!text) return null;
  const picture = new Image();
  picture.src = "data:image/jpeg;base64," + text;
  await picture.decode();
  return picture;
}

/** Reads the maps and the image of a case; labels are by the reader's place. The last cases are kept. */
const opened = new Map();
async function openCase(place) {
  if (!opened.has(place)) {
    const pack = report.cases[place].slices;
    const maps = (text) => unpacked(text, pack.rows, pack.columns);
    const truth = await maps(pack.truth);
    const labels = new Map();
    for (const [reader, text] of Object.entries(pack.labels)) {
      const drawn = await maps(text);
      labels.set(Number(reader), drawn.map((value, pixel) => value ^ truth[pixel]));
    }
    const contested = pack.contested ? await maps(pack.contested) : null;
    opened.set(place, { pack, truth, labels, contested, picture: await pictureOf(pack.image) });
    if (opened.size > 4) opened.delete(opened.keys().next().value);
  }
  return opened.get(place);
}

/** 0 true negative, 1 true positive, 2 false negative, 3 false positive, 4 wrong class: as in the error maps. */
function errorCode(drawn, true_) {
  if (!drawn && !true_) return 0;
  if (drawn && true_) return drawn === true_ ? 1 : 4;
  return drawn ? 3 : 2;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const find = (id) => document.getElementById(id);
