/* The flow of the rater's page: show a screen, take its answer, go on at once; the outbox does the sending. */
(() => {
  "use strict";
  const { rating } = window;
  const { announce, byId, say, setFault, showPanel } = rating;

  const config = rating.readJson("config");
  const first = rating.readJson("screen");
  const form = byId("answer-form");
  const store = new rating.Store(`rating:${config.owner ?? ""}:${config.urls.answers}:`);
  const server = new rating.Server(config);
  const clock = new rating.ActiveTime();
  const outbox = new rating.Outbox({
    store, server, url: config.urls.answers,
    on: { changed: showSavedState, saved: onSaved, refused: onRefused, held: showTrouble, late: onLate },
  });
  const screens = new rating.Screens({ server, urls: config.urls, first, skip: (key) => outbox.latestFor(key) !== undefined });
  const Question = rating.kinds[first.protocol_question.kind];
  const question = new Question({ onChange: onEdit, hint: setFault });
  const comment = new rating.CommentBox({ onChange: onEdit, onClose: () => question.focus() });
  const breaks = new rating.Breaks({ store, minutes: config.break_after ?? 0, onClose: () => question.focus() });
  const view = new rating.View({ redraw: () => screens.current && rating.drawTexts(byId("texts"), screens.current, view) });
  let progress = rating.readJson("progress");
  let isGoingBack = false;
  let isLeaving = false;
  let isStale = false;
  let isWaitingSaid = false;
  let waits = 0;

  /* ---- Showing ---- */

  function show(screen) {
    if (screen.protocol_question.kind !== first.protocol_question.kind) return location.reload();
    const waiting = outbox.latestFor(screen.key);
    if (waiting) recall(screen, waiting);
    const draft = store.get(`draft:${screen.key}`);
    breaks.add(clock.read());
    const asked = screen.protocol_question;
    form.elements.assignment.value = screen.key;
    form.elements.client_key.value = screen.client_key;
    byId("prompt").textContent = asked.prompt;
    byId("help").textContent = asked.help;
    byId("help").hidden = asked.help === "";
    rating.drawTexts(byId("texts"), screen, view);
    question.show(asked, draft ? draft.answers : screen.answer);
    comment.value = draft ? draft.comment : (screen.comment ?? "");
    setFault("");
    showPanel(null);
    if (byId("skip-open")) byId("skip-open").hidden = !screen.can_skip || screen.answer !== null;
    markReady();
    document.title = say(`title_${asked.kind}${endless()}`, screen);
    clock.restart();
    const suggestion = breaks.suggest();
    scrollTo({ top: 0, behavior: "instant" });
    question.focus();
    announce([say(`position${endless()}`, screen), screen.answer ? say("answered") : "", suggestion].join(" ").trim());
    return undefined;
  }

  /** Take over an answer that is still on its way, and remember that its key is spent. */
  function recall(screen, entry) {
    screen.answer = entry.answers;
    screen.comment = entry.comment;
    screen.isKeySpent ||= entry.client_key === screen.client_key;
  }

  /** A pool has no total to count down to: what is said then has a name of its own. */
  function endless() {
    return progress.endless ? "_endless" : "";
  }

  function showProgress() {
    const done = Math.min(progress.total, progress.done + outbox.firstAnswers);
    byId("counts").textContent = say(`counts${endless()}`, { done, left: progress.total - done });
    if (outbox.firstAnswers) byId("called-back")?.remove();
    byId("bar").max = progress.total;
    byId("bar").value = done;
  }

  function showSavedState(state, unsent) {
    byId("saved").dataset.state = state;
    byId("saved").setAttribute("aria-busy", String(state === "saving"));
    const line = say(state, { n: unsent });
    if (byId("saved").textContent !== line) byId("saved").textContent = line;
    if ((state === "waiting" && !isWaitingSaid) || (state === "saved" && isWaitingSaid)) {
      isWaitingSaid = state === "waiting";
      announce(line);
    }
    byId("pause-saved").hidden = unsent > 0;
    byId("pause-unsent").hidden = unsent === 0;
    if (unsent === 0 && byId("trouble").dataset.kind === "held") byId("trouble").hidden = true;
    if (isStale && outbox.isEmpty) startOver();
    else if (!screens.current && screens.isExhausted) finish();
  }

  function markReady() {
    byId("next").setAttribute("aria-disabled", String(question.answers() === null));
  }

  /* ---- Answering ---- */

  function onEdit() {
    const screen = screens.current;
    if (!screen) return;
    setFault("");
    markReady();
    store.set(`draft:${screen.key}`, { answers: question.draft(), comment: comment.value });
  }

  function save() {
    const screen = screens.current;
    if (!screen || isGoingBack) return;
    const [fault, length] = [question.fault(), comment.fault(config.longest)];
    if (fault !== null || length !== null) {
      setFault(fault ?? length);
      if (fault !== null) question.reject();
      else comment.open();
      return;
    }
    const [answers, remark] = [question.answers(), comment.value.trim()];
    if (isNew(screen, answers, remark)) send(screen, answers, remark);
    store.remove(`draft:${screen.key}`);
    goOn();
  }

  /** An unchanged answer is the same answer: it is not sent again. */
  function isNew(screen, answers, remark) {
    const name = screen.protocol_question.name;
    return !screen.answer || screen.answer[name] !== answers[name] || (screen.comment ?? "") !== remark;
  }

  function send(screen, answers, remark) {
    const client_key = screen.isKeySpent ? rating.newClientKey() : screen.client_key;
    const entry = { assignment: screen.key, client_key, answers, comment: remark, active_ms: clock.read() };
    const isFirst = !screen.done && !screen.answer;
    Object.assign(screen, { answer: answers, comment: remark, isKeySpent: true });
    outbox.add({ ...entry, first: isFirst });
    showProgress();
  }

  function onSaved(reply, entry) {
    progress = reply.progress ?? progress;
    const screen = screens.find(entry.assignment);
    if (screen) screen.done = true;
    showProgress();
    if (!screen || !entry.held) return;
    recall(screen, entry);
    if (screen === screens.current && question.draft() === null) goOn();
  }

  /** Another tab of this browser answered an item: it is not asked again here, unless something was typed. */
  function onAnsweredElsewhere(entry) {
    const screen = screens.find(entry.assignment);
    if (!screen) {
      screens.drop(entry.assignment);
      return;
    }
    const isUntouched = screen === screens.current && question.draft() === (screen.answer ?? null) && comment.value === "";
    recall(screen, entry);
    if (isUntouched) goOn();
  }

  function onSkipped(key, reply) {
    progress = reply.progress ?? progress;
    store.remove(`draft:${key}`);
    const isShown = screens.current?.key === key;
    screens.drop(key);
    showProgress();
    if (isShown) goOn();
  }

  /** The server will never take this answer: give it back to the rater, with the reason. */
  function onRefused(problem, entry) {
    store.set(`draft:${entry.assignment}`, { answers: entry.answers, comment: entry.comment });
    const screen = screens.find(entry.assignment);
    if (screen) screen.answer = null;
    showTrouble(problem, screen);
    showProgress();
  }

  /** The item had gone to somebody else: what was fetched ahead with it may have gone as well. */
  function onLate(problem, entry) {
    const isShown = screens.current?.key === entry.assignment;
    screens.drop(entry.assignment);
    isStale = true;
    showTrouble(problem);
    showProgress();
    return isShown ? goOn() : undefined;
  }

  /** Look anew what is there for this rater, and go on where the item shown has gone and nothing was begun on it. */
  async function startOver() {
    isStale = false;
    screens.startOver();
    if (!screens.current) return waitForNext();
    await refillQuietly();
    const { current } = screens;
    const isUntouched = current && !current.answer && question.draft() === null && comment.value === "";
    if (!isUntouched || !screens.isGone(current.key)) return undefined;
    screens.drop(current.key);
    return goOn();
  }

  function showTrouble(problem, screen = null) {
    if (problem.closed) return leave();
    rating.showTrouble(problem, screen && (() => {
      screens.goTo(screen);
      show(screen);
    }));
    return undefined;
  }

  /* ---- Going on and back ---- */

  async function goOn() {
    const next = screens.next();
    if (next) {
      show(next);
      await refillQuietly();
      return;
    }
    await waitForNext();
  }

  async function refillQuietly() {
    try {
      await screens.refill();
    } catch (problem) {
      if (!(problem instanceof rating.Problem)) throw problem;
    }
  }

  /** Nothing at hand: fetch until something comes, the rater goes back, or all is done. */
  async function waitForNext() {
    const mine = (waits += 1);
    const isOver = () => mine !== waits || screens.current !== undefined;
    showPanel("loading");
    for (let tries = 0; !isOver(); tries += 1) {
      try {
        await screens.refill();
        if (isOver()) return;
        if (byId("trouble").dataset.kind === "held" && outbox.isEmpty) byId("trouble").hidden = true;
        if (screens.hasNext) await goOn();
        else if (screens.isExhausted) finish();
        else await rating.pause(1_000);
        if (screens.isExhausted) return;
      } catch (problem) {
        if (!(problem instanceof rating.Problem)) throw problem;
        if (isOver()) return;
        if (!problem.passing) showTrouble(problem);
        showPanel(problem.passing ? "offline" : "stopped");
        await rating.pause(Math.min(30_000, 1_000 * 2 ** tries));
      }
    }
  }

  /**
   * Leave for the last page once every answer was tried; called again when the outbox runs empty. That page says
   * which answers are still on this device. What was said of a late one is read first.
   */
  function finish() {
    if (byId("trouble").dataset.kind === "late" && !byId("trouble").hidden) return showPanel("stopped");
    const isSent = outbox.isEmpty;
    showPanel(isSent || byId("saved").dataset.state === "saving" ? "sending" : "unsent");
    if (!isSent || isLeaving) return undefined;
    for (const name of store.names("draft:")) store.remove(name);
    return leave();
  }

  /** Go to the last page; it sends what is still on this device, or says that it cannot. */
  function leave() {
    if (isLeaving) return;
    isLeaving = true;
    location.assign(config.urls.finish);
  }

  async function goBack() {
    if (isGoingBack) return;
    isGoingBack = true;
    try {
      const screen = await screens.previous();
      if (screen) show(screen);
      else setFault(say("first"));
    } catch (problem) {
      if (!(problem instanceof rating.Problem)) throw problem;
      if (problem.passing) setFault(say("previous_failed"));
      else showTrouble(problem);
    } finally {
      isGoingBack = false;
    }
  }

  /** Take back the last change of the value; where there is none, say how to go back to the item before. */
  function undo() {
    if (screens.current && !byId("answer-form").hidden && !question.undo()) setFault(say("nothing_to_undo"));
  }

  function skip() {
    if (screens.current && byId("skip-open") && !byId("skip-open").hidden) rating.openDialog("skip");
  }

  /* ---- Wiring ---- */

  function listenToKeys() {
    const letters = {
      "?": () => rating.openDialog("keys"), c: () => comment.open(), z: undo, s: skip, i: () => view.toggleMarks(),
      "+": () => view.resize(1), "=": () => view.resize(1), "-": () => view.resize(-1),
    };
    rating.listenToKeys(question, { save, previous: goBack, undo, letters }, store);
  }

  function start() {
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      save();
    });
    byId("next").addEventListener("click", (event) => {
      if (event.detail > 1) event.preventDefault(); /* the second half of a double click */
    });
    byId("trouble-close").addEventListener("click", () => {
      byId("trouble").hidden = true;
      if (!screens.current && screens.isExhausted) finish();
      else question.focus();
    });
    byId("previous").addEventListener("click", goBack);
    listenToKeys();
    rating.listenToDialogs();
    if (byId("skip")) rating.listenToSkipping({ server, url: config.urls.skip, assignment: () => screens.current?.key, onSkipped });
    store.listen((name, value) => {
      if (name === "opened") rating.wake();
      if (name.startsWith("outbox:") && value) onAnsweredElsewhere(value);
    });
    store.set("opened", Date.now()); /* other tabs go on: the invitation was opened again */
    rating.listenToLanguages({ url: config.urls.items, item: () => screens.current?.key });
    rating.listenToProblems({ server, url: config.urls.problem, assignment: () => screens.current?.key ?? first.key });
    rating.keepInReach();
    addEventListener("beforeunload", (event) => {
      if (store.volatile) event.preventDefault();
    });
    addEventListener("pageshow", (event) => {
      if (event.persisted && screens.current) show(screens.current);
    });
    const isOnItsWay = outbox.latestFor(first.key) !== undefined;
    show(first);
    showProgress();
    outbox.flush();
    if (isOnItsWay) goOn();
    else refillQuietly();
  }

  start();
})();
