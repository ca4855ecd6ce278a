// The viewer: which case, slice, window and overlays are shown, and the controls that change them.

const view = {
  case: 0, slice: 0, low: 0, high: 255, overlays: true, errorsOf: null, outlinesOf: new Set(), truth: true,
  contested: false, marked: null, markedSlice: -1,
};
let openedCase = null;
let asked = 0;

/** Shows a slice of a case; `mark` is a ring at a column and row. */
async function showSlice(place, slice, mark = null) {
  const turn = (asked += 1);
  const isNew = openedCase === null || view.case !== place;
  find("viewer").setAttribute("aria-busy", "true");
  const loaded = isNew ? await openCase(place) : openedCase;
  if (turn !== asked) return; // something else was asked for meanwhile
  openedCase = loaded;
  view.case = place;
  view.marked = mark;
  view.markedSlice = mark ? slice : -1;
  if (isNew) resetWindow();
  find("slices").max = loaded.pack.slices.length - 1;
  find("case").value = place;
  moveTo(slice);
  find("viewer").setAttribute("aria-busy", "false");
}

function moveTo(slice) {
  if (openedCase === null) return;
  view.slice = Math.min(Math.max(slice, 0), openedCase.pack.slices.length - 1);
  find("slices").value = view.slice;
  redraw();
}

function redraw() {
  if (openedCase === null) return;
  const { pack } = openedCase;
  const canvas = find("slice");
  const [height, width] = [pack.rows * pack.pixel[0], pack.columns * pack.pixel[1]];
  const room = find("stage").clientWidth;
  const tallest = document.body.classList.contains("enlarged") ? window.innerHeight * 0.72 : 560;
  const scale = Math.min(room / width, tallest / height);
  const sharp = Math.min(window.devicePixelRatio || 1, 2);
  canvas.style.width = `${Math.round(width * scale)}px`;
  canvas.style.height = `${Math.round(height * scale)}px`;
  canvas.width = Math.max(1, Math.round(width * scale * sharp));
  canvas.height = Math.max(1, Math.round(height * scale * sharp));
  drawSlice(canvas, openedCase, { ...view, marked: view.slice === view.markedSlice ? view.marked : null });
  const gaps = { case: report.cases[view.case].name, slice: pack.slices[view.slice], slices: pack.of };
  const where = say(pack.of > 1 ? "where" : "whereFlat", gaps);
  find("where").textContent = where;
  canvas.setAttribute("aria-label", where);
  find("slices").setAttribute("aria-valuetext", where);
}

/** The position under the pointer in RAS, as Slicer shows it. */
function sayPosition(event) {
  const { pack } = openedCase;
  const area = find("slice").getBoundingClientRect();
  const column = ((event.clientX - area.left) / area.width) * pack.columns - 0.5;
  const row = ((event.clientY - area.top) / area.height) * pack.rows - 0.5;
  const input = [column, row, pack.slices[view.slice] - 1].slice(0, pack.ras.length);
  const point = pack.ras.map((line) => input.reduce((sum, value, at) => sum + value * line[at], line[line.length - 1]));
  find("position").textContent = say("position", {
    place: point.map((value) => value.toFixed(1)).join(", "), unit: report.cases[view.case].unit,
  });
}

// The window: where the gray scale begins and ends, in values of the image.

function resetWindow() {
  const { gray, window: start } = openedCase.pack;
  const part = (value) => (255 * (value - gray[0])) / Math.max(gray[1] - gray[0], 1e-9);
  [view.low, view.high] = start.map(part);
  find("level").value = (view.low + view.high) / 2;
  find("width").value = view.high - view.low;
  sayWindow();
}

function changeWindow() {
  const [level, width] = [Number(find("level").value), Number(find("width").value)];
  [view.low, view.high] = [level - width / 2, level + width / 2];
  sayWindow();
  redraw();
}

function sayWindow() {
  const { gray } = openedCase.pack;
  const step = (gray[1] - gray[0]) / 255;
  const digits = step > 0.2 ? 0 : 2;
  const [level, width] = [gray[0] + ((view.low + view.high) / 2) * step, (view.high - view.low) * step];
  find("window").textContent = say("window", { level: level.toFixed(digits), width: width.toFixed(digits) });
}

// Overlays.

function toggleOverlays() {
  find("overlays").checked = view.overlays = !view.overlays;
  redraw();
}

function showErrorsOf(reader) {
  view.errorsOf = reader;
  find("errors-of").value = reader === null ? "" : reader;
  view.outlinesOf = new Set(reader === null ? [] : [reader]);
  for (const box of find("outlines").querySelectorAll("input")) box.checked = view.outlinesOf.has(Number(box.value));
}

function enlarge(wanted = !document.body.classList.contains("enlarged")) {
  document.body.classList.toggle("enlarged", wanted);
  find("enlarge").setAttribute("aria-pressed", wanted);
  redraw();
}

function stepCase(step) {
  const shown = [...find("case").options].filter((option) => !option.hidden).map((option) => Number(option.value));
  const next = shown[shown.indexOf(view.case) + step];
  if (next !== undefined) showSlice(next, Math.floor(report.cases[next].slices.slices.length / 2));
}

function prepareViewer() {
  report.cases.forEach((item, place) => {
    if (item.slices) find("case").append(element("option", { value: place }, item.name));
  });
  find("errors-of").append(element("option", { value: "" }, say("nobody")));
  report.readers.forEach((name, reader) => {
    if (name === null) return;
    find("errors-of").append(element("option", { value: reader }, name));
    const box = element("input", { type: "checkbox", value: reader });
    const swatch = element("i", { class: "swatch" });
    swatch.style.background = report.colors[reader];
    find("outlines").append(element("label", {}, box, swatch, name));
    box.addEventListener("change", () => {
      if (box.checked) view.outlinesOf.add(reader);
      else view.outlinesOf.delete(reader);
      redraw();
    });
  });
  const canvas = find("slice");
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    moveTo(view.slice + Math.sign(event.deltaY));
  }, { passive: false });
  canvas.addEventListener("pointermove", (event) => openedCase && sayPosition(event));
  canvas.addEventListener("dblclick", () => enlarge());
  find("slices").addEventListener("input", (event) => moveTo(Number(event.target.value)));
  find("case").addEventListener("change", (event) => showSlice(Number(event.target.value), 0));
  find("errors-of").addEventListener("change", (event) => {
    showErrorsOf(event.target.value === "" ? null : Number(event.target.value));
    redraw();
  });
  for (const name of ["overlays", "truth", "contested"]) {
    find(name).addEventListener("change", (event) => {
      view[name] = event.target.checked;
      redraw();
    });
  }
  for (const name of ["level", "width"]) find(name).addEventListener("input", changeWindow);
  find("reset-window").addEventListener("click", () => { resetWindow(); redraw(); });
  find("enlarge").addEventListener("click", () => enlarge());
  find("previous-case").addEventListener("click", () => stepCase(-1));
  find("next-case").addEventListener("click", () => stepCase(1));
  find("previous-slice").addEventListener("click", () => moveTo(view.slice - 1));
  find("next-slice").addEventListener("click", () => moveTo(view.slice + 1));
  find("paper").addEventListener("change", redraw);
  window.addEventListener("resize", redraw);
}
