// Shows GraphiQL for this server. The browser sends the cookies of a sign-in by itself; a
// token goes into the tab Headers: {"Authorization": "Bearer …"}.
"use strict";

async function send(operation, options) {
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { ...options?.headers, "Content-Type": "application/json" },
    body: JSON.stringify(operation),
  });
  return response.json();
}

const example = `# Operations are sent with the cookies of your last sign-in on this page. To use an access
# token instead, write into the tab Headers below: {"Authorization": "Bearer …"}
#
#   mutation { signIn(email: "ada@campus.edu", password: "…") { accessToken } }

{
  me { id email role sessions { id current browser os } }
}
`;

// mend names the editors and lets the keyboard reach the answer; a tab with buttons in it is an item of a list.
function mend() {
  for (const area of document.querySelectorAll(".CodeMirror textarea:not([aria-label])")) {
    area.setAttribute("aria-label", area.closest("[aria-label]")?.getAttribute("aria-label") ?? "Editor");
  }
  for (const answer of document.querySelectorAll(".CodeMirror-scroll:not([tabindex='0'])")) answer.tabIndex = 0;
  for (const tabs of document.querySelectorAll(".graphiql-container [role=tablist]:has(> li)")) tabs.setAttribute("role", "list");
  for (const tab of document.querySelectorAll(".graphiql-container li.graphiql-tab")) {
    for (const name of ["role", "aria-selected"]) tab.removeAttribute(name);
    if (tab.classList.contains("graphiql-tab-active")) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
}
new MutationObserver(mend).observe(document.getElementById("explorer"), { childList: true, subtree: true, attributeFilter: ["aria-selected"] });

ReactDOM.createRoot(document.getElementById("explorer")).render(
  React.createElement(GraphiQL, { fetcher: send, defaultQuery: example, defaultEditorToolsVisibility: "headers" }),
);
