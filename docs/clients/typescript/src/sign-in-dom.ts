/** An element with properties and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name, properties: Partial<Omit<HTMLElementTagNameMap[Name], "style">>, ...children: (Node | string | false)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== false));
  return made;
}

/** A field of a form with its label. */
export interface Field {
  name: string;
  label: string;
  type?: string;
  autocomplete?: AutoFill;
  inputMode?: string;
  value?: string;
  checked?: boolean;
  hint?: string;
}

let forms = 0;

/** Makes fields whose ids no other form of the page has. */
export function fieldMaker(): (field: Field) => HTMLElement {
  const prefix = `octavo-${++forms}-`;
  return ({ name, label, hint, type = "text", ...rest }) => {
    const id = prefix + name, isBox = type === "checkbox";
    const input = element("input", { id, name, type, required: !isBox, ...rest });
    const text = element("label", { htmlFor: id }, label);
    if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
    return element("div", { className: isBox ? "octavo-box" : "octavo-field" }, ...(isBox ? [input, text] : [text, input]),
      !!hint && element("p", { id: `${id}-hint`, className: "octavo-hint" }, hint));
  };
}

/** A button that does something besides sending its form. */
export function button(className: string, label: string, press: () => void): HTMLButtonElement {
  return element("button", { type: "button", className, onclick: press }, label);
}

/** Fills in the places of a text. */
export const fill = (text: string, values: Record<string, string>): string => text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
