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

ReactDOM.createRoot(document.getElementById("explorer")).render(
  React.createElement(GraphiQL, { fetcher: send, defaultQuery: example, defaultEditorToolsVisibility: "headers" }),
);
