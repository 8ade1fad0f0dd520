// Elements with data-tip show that text under the mouse, a finger or the keyboard's focus; those with
// data-pick are highlighted together when the button with that key is clicked.
(() => {
  const tip = document.createElement("div");
  tip.id = "tip"; tip.hidden = true; tip.setAttribute("role", "status");
  document.body.append(tip);
  let current = null;
  const show = (mark) => {
    if (current) current.classList.remove("current");
    current = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("current");
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect(), width = document.documentElement.clientWidth;
    tip.style.left = tip.style.top = "0";
    const left = Math.min(box.right + 8, width - tip.offsetWidth - 8);
    let top = box.bottom + 8;
    if (top + tip.offsetHeight > innerHeight && box.top > tip.offsetHeight + 8) {
      top = box.top - tip.offsetHeight - 8;
    }
    tip.style.left = Math.max(8, left) + scrollX + "px";
    tip.style.top = top + scrollY + "px";
  };
  const over = (event) => {
    const mark = event.target.closest("[data-tip]");
    if (mark !== current) show(mark);
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("click", (event) => {
    over(event);
    const button = event.target.closest("button.pick");
    if (!button) return;
    const chosen = button.getAttribute("aria-pressed") === "true" ? null : button.dataset.key;
    document.querySelectorAll("button.pick").forEach((each) =>
      each.setAttribute("aria-pressed", String(each.dataset.key === chosen)));
    document.querySelectorAll("[data-pick]").forEach((each) =>
      each.classList.toggle("lit", each.dataset.pick === chosen));
    document.body.classList.toggle("picked", chosen !== null);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const drawing = event.target.closest && event.target.closest("svg");
    if (!step || !drawing) return;
    const marks = [...drawing.querySelectorAll("[data-tip]")];
    if (!marks.length) return;
    event.preventDefault();
    show(marks[(marks.indexOf(current) + step + marks.length) % marks.length]);
  });
})();
