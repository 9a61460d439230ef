// What a page gains by a script: it follows what happens, and keys. Nothing depends on it.
"use strict";
(() => {
  const main = () => document.getElementById("main");
  const say = (text) => { document.getElementById("said").textContent = text; };
  const typing = (node) => node && node.matches("input:not([type=checkbox]), select, textarea");

  // Where a control is, so that it is found again in a page that came anew.
  const place = (node) => {
    if (!node || node === document.body || !main().contains(node)) return null;
    const home = node.closest("[id]");
    const all = (root) => [...root.querySelectorAll("a, button, input, select, summary, [tabindex]")];
    if (node === home) return (root) => root.querySelector("#" + CSS.escape(home.id));
    const same = (one) => one.tagName === node.tagName && one.name === node.name && one.value === node.value && one.getAttribute("href") === node.getAttribute("href");
    const nth = all(home).filter(same).indexOf(node);
    return (root) => {
      const again = home.id === "main" ? root : root.querySelector("#" + CSS.escape(home.id));
      return again && all(again).filter(same)[nth];
    };
  };

  // What was typed, ticked and opened. A field is the same if its request, its form and its name are.
  const key = (node) => {
    const home = node.closest("[id]").id;
    const form = node.form ? node.form.getAttribute("action") : "";
    return [home, form, node.name, node.type === "checkbox" ? node.value : "", node.tagName === "DETAILS" ? node.textContent.slice(0, 40) : ""].join("\n");
  };
  const kept = "input:not([type=hidden]), select, details";
  const keep = () => new Map([...main().querySelectorAll(kept)].map((node) => [key(node), [node.value, node.checked, node.open]]));
  const restore = (saved) => {
    for (const node of main().querySelectorAll(kept)) {
      const was = saved.get(key(node));
      if (!was) continue;
      if (node.tagName === "DETAILS") node.open = was[2];
      else if (node.type === "checkbox") node.checked = was[1];
      else node.value = was[0];
    }
  };

  let busy = false, again = false, moved = -Infinity;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin", cache: "no-store", redirect: "error" });
      if (answer.status === 401 || answer.status === 403) { location.reload(); return; }
      if (!answer.ok && answer.status !== 404) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("main");
      if (!fresh || fresh.innerHTML === main().innerHTML) return;
      const find = place(document.activeElement), saved = keep(), top = scrollY;
      const ids = new Set([...main().querySelectorAll("article.request")].map((one) => one.id));
      const said = main().querySelector(".done, .not-done");
      const gone = [...ids].some((id) => !fresh.querySelector("#" + CSS.escape(id)));
      if (gone) moved = performance.now();
      const held = document.activeElement && document.activeElement.closest("article.request");
      if (said && !fresh.querySelector(".done, .not-done")) fresh.prepend(said);
      main().replaceWith(document.adoptNode(fresh));
      for (const part of ["header.top", ".banner"]) {
        const old = document.querySelector(part), now = page.querySelector(part);
        if (old && now) old.replaceWith(document.adoptNode(now));
        else if (old) old.remove();
        else if (now) document.querySelector("header.top").after(document.adoptNode(now));
      }
      restore(saved);
      scrollTo(0, top);
      const there = find && find(main());
      if (there) there.focus({ preventScroll: true });
      // A key must never answer a request that came to stand where another was.
      else if (held) say("The request you were at waits no longer.");
      const come = [...main().querySelectorAll("article.request")].filter((one) => !ids.has(one.id)).length;
      if (come) say(come === 1 ? "A new request waits." : come + " new requests wait.");
    } catch { /* the next event tries again */ } finally {
      busy = false;
      if (again) { again = false; refresh(); }
    }
  };

  // Nor by a click on a button that came to stand where another was.
  document.addEventListener("click", (event) => {
    if (event.target.closest("article.request button") && performance.now() - moved < 600) {
      event.preventDefault();
      say("The requests moved. Look again.");
    }
  }, true);

  // A page that is hidden follows when it is looked at.
  const live = main() && main().dataset.live;
  if (live) {
    // What waits is shown at once; what merely goes on, once a second and where it is shown.
    const still = /\/(catalog|policy|servers|audit|logins|tokens)/.test(location.pathname.slice(live.length - 5));
    let missed = false, later = 0;
    const come = (event) => {
      const urgent = /approvals|stop|all/.test(event.data);
      if (document.hidden) missed = true;
      else if (urgent) refresh();
      else if (!still && !later) later = setTimeout(() => { later = 0; refresh(); }, 1000);
    };
    const source = new EventSource(live);
    source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) say("This page is not live any more. Reload it."); });
    source.addEventListener("changed", come);
    document.addEventListener("visibilitychange", () => { if (!document.hidden && missed) { missed = false; refresh(); } });
  }

  const rows = () => {
    const requests = [...main().querySelectorAll("article.request")];
    return requests.length ? requests : [...main().querySelectorAll("tbody a, .hits > li > p a, .timeline a")];
  };
  const step = (by) => {
    const all = rows(), here = all.findIndex((one) => one === document.activeElement || one.contains(document.activeElement));
    const next = all[here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + by))];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  };
  // What was put before a person only now is not answered by a key that was on its way to something else.
  let since = performance.now();
  document.addEventListener("focusin", () => { since = performance.now(); });
  const answer = (letter) => {
    if (performance.now() - since < 400) return;
    const one = document.activeElement && document.activeElement.closest("article.request");
    const button = one && one.querySelector('button[data-key="' + letter + '"]');
    if (button) button.form.requestSubmit(button);
    else if (main().querySelector("article.request")) { step(1); say("Choose a request first, with j and k."); }
  };
  const places = { o: "Overview", a: "Approvals", s: "Sessions", c: "Catalog", v: "Servers", p: "Policy", u: "Audit", r: "Remembered", t: "Tokens" };
  let going = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.target)) return;
    const keys = document.getElementById("keys");
    if (keys.open) return;
    if (going > Date.now() - 1500 && places[event.key]) {
      going = 0;
      const link = [...document.querySelectorAll("header.top nav a")].find((one) => one.textContent.startsWith(places[event.key]));
      if (link) link.click();
    } else if (event.key === "g") going = Date.now();
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if ("aod".includes(event.key)) answer(event.key);
    else if (event.key === "/") (main().querySelector("input[type=search]") || main()).focus();
    else if (event.key === "?") keys.showModal();
    else return;
    event.preventDefault();
  });
  const first = main() && main().querySelector("article.request");
  if (first && document.activeElement === document.body) first.focus({ preventScroll: true });
})();
