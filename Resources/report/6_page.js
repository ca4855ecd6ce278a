// The rest of the page: tables that sort, pictures that enlarge, keys, and the start.

/** A table of figures is sorted by a click on a column's name; the cells' first number counts, else their text. */
function makeSortable(table) {
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const text = (cell.dataset.value ?? cell.firstChild?.textContent ?? "").trim();
    const number = Number.parseFloat(text.replace("−", "-"));
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // what does not exist goes last
    return a.localeCompare(b, undefined, { numeric: true });
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = element("button", { type: "button", class: "link" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const sorted = [...body.rows].sort((a, b) => (down ? -1 : 1) * compare(valueOf(a, column), valueOf(b, column)));
      body.append(...sorted);
    });
  });
}

function prepareCases() {
  for (const row of document.querySelectorAll("table.cases tbody tr")) {
    const place = Number(row.dataset.case);
    if (!report.cases[place].slices) continue;
    const open = element("button", { type: "button", class: "link" }, row.cells[0].textContent);
    row.cells[0].replaceChildren(open);
    open.addEventListener("click", () => {
      showSlice(place, Math.floor(report.cases[place].slices.slices.length / 2));
      find("work").scrollIntoView();
    });
  }
}

/** A click on a still picture shows it as large as the window. */
function preparePictures() {
  const dialog = element("dialog", { class: "large" });
  document.querySelector("main").append(dialog);
  dialog.addEventListener("click", () => dialog.close());
  for (const figure of document.querySelectorAll("figure")) {
    const picture = figure.querySelector(".slice");
    picture.tabIndex = 0;
    picture.setAttribute("role", "button");
    const open = () => {
      const copy = figure.cloneNode(true);
      copy.querySelector(".slice").removeAttribute("tabindex");
      const close = element("button", { type: "button" }, say("close"));
      dialog.replaceChildren(copy, close);
      dialog.showModal();
      close.focus();
    };
    picture.addEventListener("click", open);
    picture.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open();
      }
    });
  }
}

const KEYS = {
  n: () => stepError(1),
  p: () => stepError(-1),
  ArrowUp: () => moveTo(view.slice - 1),
  ArrowDown: () => moveTo(view.slice + 1),
  "[": () => stepCase(-1),
  "]": () => stepCase(1),
  o: toggleOverlays,
  e: () => enlarge(),
  1: () => grade({ grade: "agree" }),
  2: () => grade({ grade: "disagree" }),
  3: () => grade({ grade: "unclear" }),
  c: () => find("comment").focus(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (event.target === find("comment")) find("slice").focus();
    else enlarge(false);
    return;
  }
  const isField = event.target.matches("select, textarea, input:not([type=checkbox]):not([type=range])");
  const isArrow = event.key.startsWith("Arrow");
  if (isField || (isArrow && !find("work").contains(event.target) && !document.body.classList.contains("enlarged"))) return;
  if (isArrow && event.target.matches("input[type=range]")) return;
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
}

function start() {
  for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);
  preparePictures();
  if (!report.cases.some((item) => item.slices)) return;
  if (typeof DecompressionStream === "undefined") {
    find("old-browser").hidden = false;
    return;
  }
  find("work").hidden = false;
  prepareViewer();
  prepareErrors();
  prepareGrades();
  prepareCases();
  document.addEventListener("keydown", onKey);
  listErrors();
  showGrade();
  const first = shown.find((place) => report.errors[place].slice >= 0);
  if (first !== undefined) showError(first);
  else showSlice(report.cases.findIndex((item) => item.slices), 0);
}

report.errors.forEach((error, place) => Object.assign(error, { place }));
start();
