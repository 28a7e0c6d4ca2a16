/** One element of a chain, as clients read it; what it does not say is null. */
export type Element = {
  event: null;
  text: string | null;
  tag_name: string;
  attr_class: string[] | null;
  href: string | null;
  attr_id: string | null;
  nth_child: number | null;
  nth_of_type: number | null;
  attributes: Record<string, string>;
  order: number;
};

const ATTRIBUTE = /((?:[^"=\\]|\\.)+)="((?:[^"\\]|\\.)*)"/gs;
/** Up to a semicolon outside of quotes. */
const ELEMENT = /(?:[^;"]|"(?:[^"\\]|\\.)*")+/gs;

/** The elements of a chain (`src/capture/event/elements.ts` tells how it is written), from the clicked one up. */
export function elementsOf(chain: string): Element[] {
  return (chain.match(ELEMENT) ?? []).map(elementOf);
}

function elementOf(text: string, order: number): Element {
  const [, head, rest] = /^([^"]*?):((?:[^"=:]+=".*)?)$/s.exec(text) ?? [text, text, ""];
  const [tag = "", ...classes] = (head ?? "").split(".");
  const attributes = Object.fromEntries(
    [...(rest ?? "").matchAll(ATTRIBUTE)].map(([, name, value]) => [unescaped(name!), unescaped(value!)]),
  );
  const number = (name: string) => (attributes[name] === undefined ? null : Number(attributes[name]));
  const { text: shown = null, href = null, attr_id: id = null, attr__class: given } = attributes;
  // A dot in a class looks like the beginning of another one.
  const named = given === undefined ? classes : given.split(/\s+/).filter(Boolean);
  return {
    event: null,
    text: shown,
    tag_name: tag,
    attr_class: named.length > 0 ? named : null,
    href,
    attr_id: id,
    nth_child: number("nth-child"),
    nth_of_type: number("nth-of-type"),
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => name.startsWith("attr__"))),
    order,
  };
}

const unescaped = (text: string): string => text.replace(/\\(["\\])/g, "$1");
