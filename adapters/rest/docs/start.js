// Shows the document of this server in Swagger UI.
"use strict";

const callers = {
  "anyone": "Anyone may call it.",
  "optional": "Anyone may call it; a token that is sent must be valid.",
  "signed-in": "Needs a signed-in account.",
  "user": "Needs a signed-in account with a confirmed address and a student profile.",
  "admin": "For admins and owners.",
  "owner": "For owners.",
};

// describe adds to each operation's description what its extensions say. The browser
// sends the session cookie by itself, so the dialog asks for a token alone.
function describe(spec) {
  for (const path of Object.values(spec.paths)) {
    for (const method of ["get", "post", "put"]) {
      const operation = path[method];
      if (!operation) continue;
      const alias = operation["x-alias"];
      operation.description = [
        operation.description,
        callers[operation["x-who"]] + (alias ? " Also at `" + alias + "`." : ""),
      ].filter(Boolean).join("\n\n");
    }
  }
  delete spec.components.securitySchemes.cookie;
  return spec;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
followTheme();
dark.addEventListener("change", followTheme);

// mend names the lists of examples and lets the keyboard reach long ones.
function mend() {
  for (const list of document.querySelectorAll(".examples-select-element:not([aria-label])")) list.setAttribute("aria-label", "Example");
  for (const example of document.querySelectorAll("pre.microlight:not([tabindex])")) example.tabIndex = 0;
}
new MutationObserver(mend).observe(document.getElementById("api"), { childList: true, subtree: true });

SwaggerUIBundle({
  url: "/api/openapi.yaml",
  domNode: document.getElementById("api"),
  plugins: [({ React }) => ({
    statePlugins: { spec: { wrapActions: { updateJsonSpec: (update) => (spec) => update(describe(spec)) } } },
    components: { DeepLink: ({ text }) => React.createElement("span", null, text) }, // a link within a button is out of reach
  })],
  deepLinking: true, // #/books/postBook opens an operation
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  queryConfigEnabled: false, // an address must not load another document into this origin
  validatorUrl: null, // nothing is sent elsewhere
});
