// The page asks what has changed, shows it, and sends what people choose. The server has all state,
// so that nothing is lost when the page is loaded again.
(() => {
  const find = (id) => document.getElementById(id);
  const token = location.hash.slice(1);
  const shown = new Map(); // what stands in each part of the page
  let state = { files: [], examples: [], titles: {} };
  let focused = ""; // what had the focus, if it comes back
  let current = sessionStorage.getItem("current");

  // Elements: attributes by name, functions as listeners, text and other elements inside.
  const make = (tag, attributes = {}, ...inside) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value != null && value !== false) element.setAttribute(name, value);
    }
    element.append(...inside.flat().filter((each) => each != null && each !== ""));
    return element;
  };
  const button = (words, click, more = {}) =>
    make("button", { type: "button", class: "button", click, ...more }, words);
  const select = (id, value, options, change, more = {}) =>
    make("select", { id, change: (event) => change(event.target.value), ...more },
      Object.entries(options).map(([own, words]) =>
        make("option", { value: own, selected: own === value }, words)));
  const choice = (id, label, ...rest) => make("label", { class: "choice", for: id }, label,
    select(id, ...rest));
  // Redraw a part only if it has changed, and keep the focus where it was.
  const redraw = (id, depends, draw) => {
    const sign = JSON.stringify(depends);
    if (shown.get(id) === sign) return false;
    shown.set(id, sign);
    if (document.activeElement !== document.body) focused = document.activeElement.id;
    find(id).replaceChildren(...[draw()].flat().filter(Boolean));
    if (document.activeElement === document.body && find(focused)) find(focused).focus();
    return true;
  };

  const ask = async (path, method = "GET", body = undefined) => {
    const answer = await fetch(path, { method, body, headers: { "X-Token": token } });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  };
  const tell = (words, trouble = "") => {
    find("heard").textContent = words;
    find("trouble").textContent = trouble;
    find("trouble").hidden = !trouble;
  };
  const attempt = (work) => work().catch((problem) => tell("", problem.message));
  const change = (wanted) => attempt(() =>
    ask(`/files/${current}`, "POST", JSON.stringify(wanted)));
  const open = (name, content) => attempt(async () => {
    tell(`Opening ${name}`);
    show(await (await ask(`/files?name=${encodeURIComponent(name)}`, "PUT", content)).json());
  });
  const show = (id) => {
    current = id;
    sessionStorage.setItem("current", id);
    draw();
  };
  const file = () => state.files.find((each) => each.id === current) || state.files.at(-1);

  // Save and copy: what the server has, as a file or on the clipboard.
  const load = async (key, form) => (await ask(`/files/${current}/${key}/${form}`)).blob();
  const save = (key, form) => attempt(async () => {
    const stem = file().name.replace(/\.[^.]*$/, "").replace(/[^\w-]+/g, "-");
    const download = `${stem}-${key}.${form}`;
    tell(`Saving ${download}`);
    make("a", { href: URL.createObjectURL(await load(key, form)), download }).click();
    tell(`Saved ${download}`);
  });
  const copy = (content, what) => attempt(async () => {
    await (typeof content === "string" ? navigator.clipboard.writeText(content)
      : navigator.clipboard.write([new ClipboardItem({ "image/png": content })]));
    tell(`Copied ${what}`);
  });

  const ROLES = { item: "item", place: "place", group: "group", weight: "weight",
    person: "person", other: "left out" };
  const role = (about, i) => {
    const own = file(), name = about.names[i];
    if (own.by === name) return "group";
    return own.people === name ? "person" : about.roles[i] || "other";
  };
  // What is used comes first: exports begin with columns that nobody asks about.
  const inOrder = (about) => about.names.map((_, i) => i).sort((one, other) =>
    (role(about, one) === "other") - (role(about, other) === "other"));
  const table = (about) => make("div", { class: "wide", tabindex: 0, role: "region",
    "aria-label": "First rows" }, make("table", { class: "rows" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "line"),
      inOrder(about).map((i) => {
        const name = about.names[i], own = role(about, i);
        const unlike = about.roles.includes("place") ? "item" : "place";
        const options = Object.fromEntries(Object.entries(ROLES).filter(([each]) =>
          each === own || each !== unlike));
        return make("th", { scope: "col", class: own }, make("span", {}, name),
          about.labels[i] ? make("small", {}, about.labels[i]) : "",
          select(`role-${i}`, own, options, (chosen) => change({ column: i, role: chosen }),
            { "aria-label": `Role of ${name}`,
              disabled: about.early || about.fixed && !["group", "person", "other"].includes(own) }));
      }))),
    make("tbody", {}, about.rows.map((cells, row) => make("tr", {},
      make("td", { class: "at" }, about.lines[row]), inOrder(about).map((i) => {
        const wrong = about.mistake && about.mistake.line === about.lines[row]
          && about.mistake.column === about.names[i];
        return make("td", { class: wrong ? "wrong" : role(about, i) }, cells[i],
          wrong ? make("span", { class: "unseen" }, " (here is the problem)") : "");
      }))))));
  const remedies = (mistake) => mistake.remedies.map((each) =>
    button(each.says, () => change("unranked" in each.sets ? each.sets : { reading: each.sets })));
  const reading = (own) => {
    const about = own.about;
    if (!about) return [
      make("p", { class: "soft" }, "Reading the file …", make("progress")),
      own.first ? table({ ...own.first, roles: [], mistake: null, early: true }) : null,
    ];
    const pick = (id, label, options = {}) => Object.keys(options).length > 1 && choice(id, label,
      own.reading[id] || "", { "": "choose one", ...options },
      (chosen) => change({ reading: { [id]: chosen } }));
    const choices = [pick("question", "Question", about.questions),
      pick("sheet", "Sheet", about.sheets),
      about.unranked && choice("unranked", "Items that somebody left out",
        own.unranked || about.unranked,
        { last: "come after all others", anywhere: "have places that we do not know" },
        (unranked) => change({ unranked }))].filter(Boolean);
    return [
      about.mistake ? make("div", { class: "mistake", role: "alert" },
        make("p", {}, about.mistake.said), make("p", {}, remedies(about.mistake)))
        : make("p", { class: "says" }, about.said),
      choices.length ? make("div", { class: "choices" }, choices) : null,
      about.names && about.names.length ? table(about) : null,
    ];
  };

  const METHODS = { auto: "the usual method", borda: "mean places (Borda)",
    copeland: "pairwise wins (Copeland)", kemeny: "most agreement (Kemeny)",
    strengths: "strengths (Plackett–Luce)" };
  // Groups that are left out, as the command does with --where COLUMN!=GROUP.
  const members = (own) => {
    const where = own.reading.where || [], start = `${own.by}!=`;
    const without = where.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
    const all = [...new Set([...own.about.groups[own.by] || [], ...without])].sort();
    return all.length > 2 || without.length ? make("p", {}, "Leave out ", all.map((name, i) => {
      const pressed = without.includes(name), condition = start + name;
      return button(name, () => change({ reading: { where: pressed
        ? where.filter((each) => each !== condition) : [...where, condition] } }),
        { id: `without-${i}`, class: "chip", "aria-pressed": String(pressed) });
    })) : "";
  };
  const CONTROLS = {
    consensus: (own) => choice("method", "By", own.method, METHODS, (method) => change({ method })),
    compare: (own) => Object.keys(own.about.groups).length || own.by ? make("div", {}, make("p", {},
      own.by ? "Compare by " : "Do groups rank differently? By ",
      Object.keys(own.about.groups).map((name, i) => button(own.about.labels[own.about.names.indexOf(name)] || name,
        () => change({ by: name === own.by ? "" : name }),
        { id: `by-${i}`, class: "chip", "aria-pressed": String(name === own.by) }))),
      own.by ? members(own) : "") : null,
  };
  const body = (key, card) => {
    const again = (words) => button(words, () => change({ ask: key }), { id: `again-${key}` });
    return { waiting: () => make("p", { class: "soft" }, "waits for the answers before it"),
      working: () => make("p", { class: "working" }, make("progress", { "aria-label": "Working" }),
        card.said, button("Stop", () => change({ stop: key }), { id: `stop-${key}` })),
      stopped: () => make("p", {}, "Stopped. ", again("Find out")),
      refused: () => make("div", { class: "mistake" }, make("p", {}, card.said),
        make("p", {}, remedies(card), again("Try again"))),
      done: () => make("div", { class: "content", id: `content-${key}` }),
      nothing: () => null }[card.state]();
  };
  const fillIn = async (key, own) => {
    const place = find(`content-${key}`), { forms } = own.cards[key];
    const told = await (await ask(`/files/${own.id}/${key}/json`)).json();
    place.innerHTML = told.content;
    place.querySelectorAll("[data-style]").forEach((each) => {
      each.style.cssText = each.dataset.style;
    });
    // What is below a heading of an answer is for those who want to know more.
    const parts = [...place.children], more = parts.findIndex((each) => each.matches("h2"));
    if (more > 0) place.append(make("details", {}, make("summary", {}, "More"), parts.slice(more)));
    const saves = { png: "Save PNG", svg: "SVG", csv: "Table (CSV)" };
    const tools = forms.map((form) => button(saves[form], () => save(key, form)));
    if (forms.includes("png")) {
      tools.unshift(button("Copy picture", () => copy(load(key, "png"), "the picture")));
    }
    const same = (words, code) => make("div", { class: "same" }, make("span", {}, words),
      make("pre", { tabindex: 0 }, make("code", {}, code)), button("Copy", () => copy(code, words)));
    place.append(make("div", { class: "tools-of" }, tools), make("details", {},
      make("summary", {}, "The same as a command, and in Python"),
      same("the command", told.command), same("the Python", told.python)));
  };

  const drawCards = (own) => {
    for (const key of Object.keys(state.titles)) {
      const card = own.cards[key] || { state: "nothing" };
      const control = (CONTROLS[key] || (() => null))(own);
      find(`card-${key}`).hidden = card.state === "nothing" && !(key === "compare" && control);
      const depends = [own.id, card, control && control.outerHTML];
      const drawn = redraw(`card-${key}`, depends, () => [
        make("h2", { id: `h-${key}` }, state.titles[key]), control, body(key, card)]);
      // If it is asked for again or the file is closed meanwhile, there is nothing to fill in.
      if (drawn && card.state === "done") fillIn(key, own).catch(() => {});
    }
  };
  const draw = () => {
    const own = file();
    if (own) current = own.id;
    document.body.classList.toggle("some", Boolean(own));
    redraw("tabs", [current, state.files.map((each) => each.id)], () =>
      state.files.map((each) => make("span", { class: each.id === current ? "tab on" : "tab" },
        button(each.name.split("/").at(-1), () => show(each.id), { id: `tab-${each.id}`, class: "",
          "aria-current": each.id === current ? "page" : null }),
        button("×", () => attempt(() => ask(`/files/${each.id}`, "DELETE")),
          { class: "", "aria-label": `Close ${each.name}` }))));
    redraw("view", own && own.id, () => own && [make("section", { id: "reading",
      "aria-label": "How the file was read" }),
    ...Object.keys(state.titles).map((key) => make("section", { id: `card-${key}`, hidden: true,
      "aria-labelledby": `h-${key}` })), make("p", { id: "whole" })]);
    if (!own) return;
    document.title = `${own.name} – rankcut`;
    redraw("reading", { ...own, cards: null, method: null }, () =>
      [make("h1", {}, (own.about && own.about.title) || own.name), reading(own)].flat());
    const unread = !own.about || Boolean(own.about.mistake);
    find("view").classList.toggle("unread", unread);
    if (unread) return;
    drawCards(own);
    const whole = own.cards.report || {};
    const saveWhole = () => change({ ask: "report" }).then(() => save("report", "html"));
    redraw("whole", [own.id, whole], () => [
      button("Save the whole page", saveWhole, { id: "save-whole", class: "main button" }),
      whole.state === "working" ? ` ${whole.said || "working"} …` : null]);
  };

  const listen = async () => {
    for (let lost = false; ;) {
      try {
        state = await (await ask("/state")).json();
        if (lost) tell("");
        lost = false;
        redraw("examples", state.examples, () => state.examples.map((name) =>
          button(name, () => open(name), { class: "chip" })));
        draw();
      } catch (problem) {
        lost = true;
        tell("", token ? `No answer: has the program ended? (${problem.message})`
          : "Open the whole address that the program printed.");
      }
      await new Promise((wake) => setTimeout(wake, lost ? 2000 : 200));
    }
  };
  const openAll = async (files) => { for (const each of [...files]) await open(each.name, each); };
  find("pick").addEventListener("change", (event) => {
    openAll(event.target.files);
    event.target.value = "";
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      document.body.classList.toggle("dragging", kind === "dragover");
      if (kind === "drop") openAll(event.dataTransfer.files);
    });
  }
  listen();
})();
