// Elements with data-item light up together when one of them is clicked, when its button gets Enter,
// or when the search finds it; Escape puts the light out.
(() => {
  const found = (id) => document.getElementById(id);
  const items = () => JSON.parse(found("items").textContent);
  let chosen = null;
  const choose = (number) => {
    chosen = number;
    document.body.classList.toggle("chosen", number !== null);
    document.querySelectorAll("[data-item]").forEach((each) => {
      const on = each.dataset.item === String(number);
      each.classList.toggle("on", on);
      if (each.matches("button")) each.setAttribute("aria-pressed", String(on));
    });
    if (found("said")) found("said").textContent = number === null ? "" : items()[number].join(": ");
    if (found("clear")) found("clear").hidden = number === null;
  };
  const search = () => {
    const words = found("find").value.trim().toLowerCase();
    if (!words) return choose(null);
    const names = items().map((item) => item[0].toLowerCase());
    const by = [(name) => name === words, (name) => name.startsWith(words),
      (name) => name.includes(words)];
    const number = by.map((fits) => names.findIndex(fits)).find((place) => place >= 0);
    if (number === undefined) {
      choose(null);
      found("said").textContent = "No item here has that in its name.";
    } else choose(number);
  };
  const forget = () => {
    if (found("find")) found("find").value = "";
    choose(null);
  };
  document.addEventListener("input", (event) => { if (event.target.id === "find") search(); });
  document.addEventListener("submit", (event) => {
    if (!event.target.contains(found("find"))) return;
    event.preventDefault();
    search();
    const row = chosen !== null && document.querySelector("tr.on");
    if (row) row.scrollIntoView({ block: "center" });
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") forget(); });
  const sort = (button) => {
    const head = button.closest("th"), body = head.closest("table").tBodies[0];
    const up = head.getAttribute("aria-sort") !== "ascending";
    head.parentNode.querySelectorAll("th").forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => row.cells[head.cellIndex].dataset.value;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)], apart = Number(x) - Number(y);
      return (up ? 1 : -1) * (Number.isNaN(apart) ? x.localeCompare(y) : apart);
    };
    body.append(...[...body.rows].sort(compare));
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.sort");
    if (button) return sort(button);
    if (event.target.id === "clear") {
      forget();
      return found("find").focus();
    }
    const mark = event.target.closest("[data-item]");
    if (!mark) return;
    const number = Number(mark.dataset.item);
    choose(number === chosen ? null : number);
  });
})();
