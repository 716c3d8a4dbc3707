"use strict";

const $ = (id) => document.getElementById(id);
const element = (name, props = {}, ...children) => {
  const e = Object.assign(document.createElement(name), props);
  e.append(...children);
  return e;
};

async function post(query, variables) {
  const headers = { "Content-Type": "application/json" };
  const token = $("token").value.trim();
  if (token) headers.Authorization = "Bearer " + token;
  const res = await fetch("/graphql", { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return { status: res.status, body: await res.json() };
}

async function run() {
  let variables;
  $("took").textContent = "";
  try {
    const text = $("variables").value.trim();
    variables = text ? JSON.parse(text) : undefined;
  } catch (err) {
    $("answer").textContent = "The variables are not valid JSON: " + err.message;
    return;
  }
  const start = performance.now();
  try {
    const { status, body } = await post($("query").value, variables);
    $("answer").textContent = JSON.stringify(body, null, 2);
    $("took").textContent = `${status}, ${Math.round(performance.now() - start)} ms`;
    // Copy the token of a sign-in to the field, so that the next operation uses it.
    const payload = Object.values(body.data ?? {}).find((v) => v && v.accessToken);
    if (payload) $("token").value = payload.accessToken;
  } catch (err) {
    $("answer").textContent = "No response: " + err.message;
  }
}

const schemaQuery = `query Schema {
  __schema { types { name kind description
    fields { name description args { name description defaultValue type { ...T } } type { ...T } }
    enumValues { name description } } } }
fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

function typeName(t) {
  if (t.kind === "NON_NULL") return typeName(t.ofType) + "!";
  if (t.kind === "LIST") return "[" + typeName(t.ofType) + "]";
  return t.name;
}

const bare = (t) => (t.ofType ? bare(t.ofType) : t.name);

// template returns an operation that selects every scalar field of its result.
function template(root, field, types) {
  const plain = (name) => {
    const fields = (types.get(name)?.fields ?? []).filter((f) => !types.get(bare(f.type))?.fields);
    return fields.map((f) => f.name);
  };
  const args = field.args.map((a) => `$${a.name}: ${typeName(a.type)}`).join(", ");
  const pass = field.args.map((a) => `${a.name}: $${a.name}`).join(", ");
  const of = bare(field.type);
  const inner = plain(of);
  const nested = (types.get(of)?.fields ?? []).filter((f) => types.get(bare(f.type))?.fields && plain(bare(f.type)).length)
    .map((f) => `    ${f.name} { ${plain(bare(f.type)).join(" ")} }`);
  const body = types.get(of)?.fields ? ` {\n    ${inner.join(" ")}\n${nested.join("\n")}\n  }` : "";
  const operation = `${root} ${field.name}${args ? `(${args})` : ""} {\n  ${field.name}${pass ? `(${pass})` : ""}${body}\n}\n`;
  return { operation, variables: field.args.length ? JSON.stringify(Object.fromEntries(field.args.map((a) => [a.name, null])), null, 2) : "" };
}

function describe(type, field, types) {
  const args = (field.args ?? []).map((a) => `${a.name}: ${typeName(a.type)}${a.defaultValue ? " = " + a.defaultValue : ""}`).join(", ");
  const signature = `${field.name}${args ? `(${args})` : ""}${field.type ? ": " + typeName(field.type) : ""}`;
  const root = { Query: "query", Mutation: "mutation" }[type.name];
  const name = root
    ? element("button", { type: "button", title: "Insert this operation", onclick: () => {
      const t = template(root, field, types);
      $("query").value = t.operation;
      $("variables").value = t.variables;
      $("query").focus();
    } }, element("code", {}, signature))
    : element("code", {}, signature);
  return [element("dt", {}, name), element("dd", {}, field.description ?? "")];
}

async function showDocs() {
  const { body } = await post(schemaQuery);
  if (!body.data) {
    $("docs").textContent = body.errors?.[0]?.message ?? "The schema could not be loaded.";
    return;
  }
  const shown = body.data.__schema.types.filter((t) => !t.name.startsWith("__") && (t.fields || t.enumValues || t.description));
  const types = new Map(body.data.__schema.types.map((t) => [t.name, t]));
  const order = (t) => ({ Query: 0, Mutation: 1 }[t.name] ?? 2);
  shown.sort((a, b) => order(a) - order(b) || a.name.localeCompare(b.name));
  for (const type of shown) {
    const list = element("dl", {}, ...(type.fields ?? type.enumValues ?? []).flatMap((f) => describe(type, f, types)));
    $("docs").append(element("details", { open: order(type) < 2 }, element("summary", {}, type.name), element("p", {}, type.description ?? ""), list));
  }
}

function filterDocs() {
  const words = $("filter").value.toLowerCase();
  for (const d of document.querySelectorAll("#docs details")) {
    d.hidden = !d.textContent.toLowerCase().includes(words);
    for (const dt of d.querySelectorAll("dt")) {
      const hit = (d.querySelector("summary").textContent + dt.textContent + dt.nextElementSibling.textContent).toLowerCase().includes(words);
      dt.hidden = dt.nextElementSibling.hidden = !hit;
    }
  }
}


$("query").value = "query Me {\n  me { id email role sessions { id current browser os } }\n}\n";
$("run").addEventListener("click", run);
$("filter").addEventListener("input", filterDocs);
document.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) run(); });
showDocs().catch((err) => { $("docs").textContent = "No response: " + err.message; });
