/* The rating page in practice: the same question and keys, one form a page; what was expected comes from the server. */
(() => {
  "use strict";
  const { rating } = window;
  const { byId } = rating;

  const config = rating.readJson("config");
  const screen = rating.readJson("screen");
  const form = byId("answer-form");
  const store = new rating.Store(`rating:${config.owner ?? ""}:practice:`);
  const server = new rating.Server(config);
  const asked = screen.protocol_question;
  const Question = rating.kinds[asked.kind];
  const question = new Question({ onChange: onEdit, hint: setFault });
  const comment = new rating.CommentBox({ onChange: () => {}, onClose: () => question.focus() });
  const view = new rating.View({ redraw: () => rating.drawTexts(byId("texts"), screen, view) });
  let isSent = false;

  function setFault(text) {
    byId("message").textContent = text;
  }

  function markReady() {
    byId("next").setAttribute("aria-disabled", String(question.answers() === null));
  }

  function onEdit() {
    setFault("");
    markReady();
  }

  /** Send the form once; what was chosen travels in a field of its own. */
  function save() {
    if (isSent) return;
    const fault = question.fault() ?? comment.fault(config.longest);
    if (fault !== null) {
      setFault(fault);
      if (question.fault() !== null) question.reject();
      return;
    }
    const field = document.createElement("input");
    const [[name, value]] = Object.entries(question.answers());
    Object.assign(field, { type: "hidden", name, value: String(value) });
    form.append(field);
    isSent = true;
    HTMLFormElement.prototype.submit.call(form);
  }

  function listenToKeys() {
    const letters = {
      "?": () => rating.openDialog("keys"), c: () => comment.open(), z: () => question.undo(), i: () => view.toggleMarks(),
      "+": () => view.resize(1), "=": () => view.resize(1), "-": () => view.resize(-1),
    };
    rating.listenToKeys(question, { save, previous: () => {}, undo: () => question.undo(), letters }, store);
  }

  function start() {
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      save();
    });
    const fault = byId("message").textContent;
    rating.drawTexts(byId("texts"), screen, view);
    question.show(asked, screen.answer);
    comment.value = screen.comment ?? "";
    listenToKeys();
    rating.listenToDialogs();
    rating.listenToProblems({ server, url: config.urls.problem, assignment: () => screen.key });
    rating.keepInReach();
    addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload(); /* gone back to: show what the server knows */
    });
    markReady();
    setFault(fault);
    question.focus();
  }

  start();
})();
