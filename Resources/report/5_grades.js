// Grades: a grader agrees or disagrees with an error, or finds it unclear, and saves them as a decisions file.

const grades = new Map(); // place in report.errors: {grade, comment, date}
let saved = true;

function gradeOf(error) {
  return grades.get(error.place) || { grade: "", comment: "", date: "" };
}

/** The day as people here count it, such as 2026-03-01. */
function today() {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function grade(changes) {
  if (current < 0) return;
  const next = { ...gradeOf(report.errors[current]), ...changes, date: today() };
  if (changes.grade && gradeOf(report.errors[current]).grade === changes.grade) next.grade = ""; // the same key again
  if (next.grade || next.comment) grades.set(current, next);
  else grades.delete(current);
  saved = false;
  keep();
  const row = find("errors").querySelector(`tr[data-error="${current}"]`);
  if (row) row.replaceWith(rowOf(current));
  showGrade();
}

/** What is chosen for the error that is shown. */
function showGrade() {
  const error = report.errors[current];
  find("grading").hidden = !error;
  if (error) {
    const item = report.cases[error.case];
    const place = error.ras.map((value) => value.toFixed(1)).join(", ");
    find("sentence").textContent = error.sentence;
    find("error-place").textContent =
      say("errorPlace", { case: item.name, reader: report.readers[error.reader], place, unit: item.unit }) +
      (error.contested ? " " + say("contestedHere", { same: error.same, of: error.of }) : "") +
      (error.slice < 0 ? " " + say("notShown") : "");
    const { grade: chosen, comment } = gradeOf(error);
    for (const button of document.querySelectorAll("button[data-grade]")) {
      button.setAttribute("aria-pressed", button.dataset.grade === chosen);
    }
    if (find("comment").value !== comment) find("comment").value = comment;
  }
  const count = [...grades.values()].filter((entry) => entry.grade).length;
  find("graded").textContent = say(saved ? "graded" : "gradedUnsaved", { count, all: report.errors.length });
  find("save").disabled = count === 0;
}

/** The decisions file: an entry for every error with a grade. */
function decisions() {
  const entries = [...grades.entries()].filter(([, entry]) => entry.grade).sort(([a], [b]) => a - b);
  return {
    format: "noisylabelseg-decisions/1",
    reference: report.reference,
    labels_sha256: {},
    agreed_share: null,
    connectivity: 26,
    decisions: entries.map(([place, entry]) => {
      const error = report.errors[place];
      const item = report.cases[error.case];
      const region = { center_ras: error.ras, voxels: error.voxels, bounds: error.bounds };
      const made = { ...(item.id === null ? { case_number: item.number } : { case: item.id }), region };
      Object.assign(made, { grade: entry.grade, error_of: report.readers[error.reader], error: error.kind, date: entry.date });
      if (entry.comment) made.comment = entry.comment;
      if (find("grader").value.trim()) made.by = find("grader").value.trim();
      return made;
    }),
  };
}

function save() {
  const text = JSON.stringify(decisions(), null, 1) + "\n";
  const link = element("a", { download: "decisions.json" });
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  saved = true;
  showGrade();
}

// Grades are kept in the browser until the page is opened again; where that is not possible, the page asks before it closes.

let isKept = true;
const KEPT = "noisylabelseg-grades-" + report.key;

function keep() {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ by: find("grader").value, grades: [...grades.entries()] }));
    isKept = true;
  } catch (error) {
    isKept = false; // no storage, or it is full
  }
}

function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) || "{}");
    find("grader").value = kept.by || "";
    for (const [place, entry] of kept.grades || []) if (report.errors[place]) grades.set(place, entry);
    saved = grades.size === 0;
  } catch (error) {
    isKept = false;
  }
}

function prepareGrades() {
  restore();
  for (const button of document.querySelectorAll("button[data-grade]")) {
    button.addEventListener("click", () => grade({ grade: button.dataset.grade }));
  }
  find("comment").addEventListener("change", (event) => {
    const comment = event.target.value.trim();
    const isGraded = current >= 0 && gradeOf(report.errors[current]).grade;
    grade(comment && !isGraded ? { comment, grade: "unclear" } : { comment }); // a decisions file has no bare comments
  });
  find("grader").addEventListener("change", keep);
  find("save").addEventListener("click", save);
  window.addEventListener("beforeunload", (event) => { if (!saved && !isKept) event.preventDefault(); });
}
