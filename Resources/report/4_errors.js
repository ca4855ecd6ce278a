// The list of errors: filters, order, which one is shown, and the next one by key.

const ROWS = 100;
const filters = { case: "", reader: "", kind: "", size: 0, contested: false, ungraded: false };
const order = { key: "size", down: true };
let shown = []; // places in report.errors, as listed
let current = -1; // a place in report.errors
let rows = ROWS;

const SORT = {
  case: (error) => error.case,
  reader: (error) => report.readers[error.reader],
  kind: (error) => report.kinds[error.kind],
  size: (error) => error.size,
  depth: (error) => error.depth,
  same: (error) => error.same,
  grade: (error) => gradeOf(error).grade || "",
};

function passes(error, but = "") {
  return (
    (but === "case" || filters.case === "" || error.case === Number(filters.case)) &&
    (but === "reader" || filters.reader === "" || error.reader === Number(filters.reader)) &&
    (but === "kind" || filters.kind === "" || error.kind === filters.kind) &&
    error.size >= filters.size &&
    (!filters.contested || error.contested) &&
    (!filters.ungraded || !gradeOf(error).grade)
  );
}

/** Lists the errors that pass the filters, and counts those of every case, reader and kind. */
function listErrors() {
  const places = [...report.errors.keys()].filter((place) => passes(report.errors[place]));
  const value = SORT[order.key];
  const sign = order.down ? -1 : 1;
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
  shown = places.sort((one, other) => {
    const [a, b] = [report.errors[one], report.errors[other]];
    return sign * compare(value(a), value(b)) || b.size - a.size || one - other;
  });
  find("count").textContent = say("count", { count: shown.length, all: report.errors.length });
  for (const head of find("errors").querySelectorAll("th[data-key]")) {
    const is = head.dataset.key === order.key;
    head.setAttribute("aria-sort", is ? (order.down ? "descending" : "ascending") : "none");
  }
  fillRows();
  countChoices();
}

function fillRows() {
  const body = find("errors").tBodies[0];
  body.replaceChildren(...shown.slice(0, rows).map(rowOf));
  find("more").hidden = shown.length <= rows;
  find("more").textContent = say("more", { count: Math.min(ROWS, shown.length - rows) });
}

function rowOf(place) {
  const error = report.errors[place];
  const open = element("button", { type: "button", class: "link" }, report.cases[error.case].name);
  const mark = gradeOf(error).grade;
  const made = element("tr", { "data-error": place }, element("th", { scope: "row" }, open));
  for (const text of [
    report.readers[error.reader], report.kinds[error.kind], error.sizeText, error.depthText,
    say("same", { same: error.same, of: error.of }) + (error.contested ? " " + say("contestedMark") : ""),
    mark ? report.grades[mark] : "",
  ]) made.append(element("td", {}, text));
  if (error.contested) made.classList.add("contested");
  if (place === current) made.setAttribute("aria-current", "true");
  return made;
}

/** Choices of the filters say how many errors they would list; cases without any are left out of the viewer's list. */
function countChoices() {
  for (const key of ["case", "reader", "kind"]) {
    const counts = new Map();
    for (const error of report.errors) {
      if (passes(error, key)) counts.set(String(error[key]), (counts.get(String(error[key])) || 0) + 1);
    }
    for (const option of find(key + "-filter").options) {
      if (option.value !== "") option.textContent = `${option.dataset.name} (${counts.get(option.value) || 0})`;
    }
    if (key === "case") hideCases(counts);
  }
}

function hideCases(counts) {
  const isFiltered = filters.reader !== "" || filters.kind !== "" || filters.size > 0 || filters.contested || filters.ungraded;
  for (const option of find("case").options) option.hidden = isFiltered && !counts.has(option.value);
  for (const row of document.querySelectorAll("table.cases tbody tr")) {
    row.hidden = isFiltered && !counts.has(row.dataset.case);
  }
}

/** Shows an error in the viewer, with its reader's error map and a ring around it. */
async function showError(place) {
  if (place === undefined) return;
  current = place;
  const error = report.errors[place];
  if (shown.indexOf(place) >= rows) rows = shown.indexOf(place) + ROWS;
  fillRows();
  const row = find("errors").querySelector(`tr[data-error="${place}"]`);
  if (row) scrollTo(row);
  showErrorsOf(error.reader);
  showGrade();
  if (error.slice >= 0) await showSlice(error.case, error.slice, error.at);
}

/** Scrolls the list, not the page, so that a row can be seen below the table's head. */
function scrollTo(row) {
  const list = find("list");
  const [head, foot] = [list.scrollTop + find("errors").tHead.offsetHeight, list.scrollTop + list.clientHeight];
  if (row.offsetTop < head) list.scrollTop -= head - row.offsetTop;
  else if (row.offsetTop + row.offsetHeight > foot) list.scrollTop += row.offsetTop + row.offsetHeight - foot;
}

function stepError(step) {
  const at = shown.indexOf(current);
  if (at < 0) showError(shown[0]);
  else if (shown[at + step] !== undefined) showError(shown[at + step]);
}

function addChoices(key, names) {
  const select = find(key + "-filter");
  names.forEach(([value, name]) => {
    const option = element("option", { value }, name);
    option.dataset.name = name;
    select.append(option);
  });
  select.addEventListener("change", () => changeFilter(key, select.value));
}

function changeFilter(key, value) {
  filters[key] = value;
  rows = ROWS;
  listErrors();
}

function prepareErrors() {
  const used = (key) => new Set(report.errors.map((error) => error[key]));
  const [cases, readers, kinds] = [used("case"), used("reader"), used("kind")];
  addChoices("case", report.cases.map((item, place) => [place, item.name]).filter(([place]) => cases.has(place)));
  addChoices("reader", report.readers.map((name, place) => [place, name]).filter(([place]) => readers.has(place)));
  addChoices("kind", Object.entries(report.kinds).filter(([kind]) => kinds.has(kind)));
  find("size-filter").addEventListener("input", (event) => changeFilter("size", Number(event.target.value) || 0));
  for (const key of ["contested", "ungraded"]) {
    find(key + "-filter").addEventListener("change", (event) => changeFilter(key, event.target.checked));
  }
  for (const head of find("errors").querySelectorAll("th[data-key]")) {
    head.firstElementChild.addEventListener("click", () => {
      const key = head.dataset.key;
      Object.assign(order, { key, down: order.key === key ? !order.down : key === "size" || key === "depth" || key === "same" });
      listErrors();
    });
  }
  find("errors").tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row) showError(Number(row.dataset.error));
  });
  find("more").addEventListener("click", () => { rows += ROWS; fillRows(); });
  find("previous-error").addEventListener("click", () => stepError(-1));
  find("next-error").addEventListener("click", () => stepError(1));
}
