// Elements with data-item light up together when one of them is clicked, when its button gets Enter,
// or when the search finds it; Escape puts the light out.
(() => {
  const items = JSON.parse(document.getElementById("items").textContent);
  const field = document.getElementById("find"), said = document.getElementById("said");
  const clear = document.getElementById("clear");
  let chosen = null;
  const choose = (number) => {
    chosen = number;
    document.body.classList.toggle("chosen", number !== null);
    document.querySelectorAll("[data-item]").forEach((each) => {
      const on = each.dataset.item === String(number);
      each.classList.toggle("on", on);
      if (each.matches("button")) each.setAttribute("aria-pressed", String(on));
    });
    said.textContent = number === null ? "" : items[number].join(": ");
    clear.hidden = number === null;
  };
  const search = () => {
    const words = field.value.trim().toLowerCase();
    if (!words) return choose(null);
    const names = items.map((item) => item[0].toLowerCase());
    const by = [(name) => name === words, (name) => name.startsWith(words),
      (name) => name.includes(words)];
    const number = by.map((fits) => names.findIndex(fits)).find((found) => found >= 0);
    if (number === undefined) {
      choose(null);
      said.textContent = "No item here has that in its name.";
    } else choose(number);
  };
  field.addEventListener("input", search);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
    const row = chosen !== null && document.querySelector("tr.on");
    if (row) row.scrollIntoView({ block: "center" });
  });
  clear.addEventListener("click", () => { field.value = ""; choose(null); field.focus(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { field.value = ""; choose(null); }
  });
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
    const mark = event.target.closest("[data-item]");
    if (!mark) return;
    const number = Number(mark.dataset.item);
    choose(number === chosen ? null : number);
  });
})();
