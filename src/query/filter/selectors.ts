import { compare, constant, field } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";

/** More cannot be a selector that somebody wrote. */
const MAX_LENGTH = 1000;

const QUOTED = '"(?:[^"\\\\]|\\\\(?s:.))*"';
/** Any part of one element of a chain: up to a semicolon outside of quotes. */
const WITHIN = `(?:[^";]|${QUOTED})*`;
/** Where an element begins: counted from the first one, since a semicolon may stand in quotes. */
const START = `^(?:${WITHIN};)*`;

/** A tag, `.class`, `#id`, `[name="value"]`, `:nth-child(2)`, or what stands between two elements. */
const TOKEN =
  /^(?:(?<gap>\s*>\s*|\s+)|(?<tag>[\w-]+|\*)|\.(?<className>(?:[\w-]|\\.)+)|#(?<id>(?:[\w-]|\\.)+)|\[(?<name>[\w:-]+)=(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\]"']*))\]|:(?<nth>nth-child|nth-of-type)\((?<count>\d+)\))/;

/** What a selector says of one element. */
interface Compound {
  tag: string | null;
  classes: string[];
  /** By their names in the chain: `attr_id`, `attr__name`, `nth-child`. */
  attributes: { name: string; value: string }[];
  /** It must be the parent of the element after it, not any ancestor. */
  isParent: boolean;
}

/**
 * Whether some element of the event's `elements_chain` meets a CSS selector: tags, classes, ids, attributes with a value,
 * nth-child and nth-of-type, put together by spaces and `>`. Errors: TerminalError `invalid_query` for any other.
 */
export function selectorCondition(selector: string, place: string): Expression {
  const compounds = selector.length > MAX_LENGTH ? null : readSelector(selector.trim());
  if (compounds === null) throw invalidQuery(place, `the selector ${shown(selector)} cannot be matched`);
  // A selector ends with the innermost element, a chain begins with it.
  const [innermost, ...others] = compounds.reverse().map((compound) => ({ ...compound, pattern: patternOf(compound) }));
  const outwards = others.map(({ pattern, isParent }) => `;${isParent ? "" : `(?:${WITHIN};)*`}${pattern}`);
  return inChain(`${innermost!.pattern}${outwards.join("")}(?:;|$)`);
}

/** Whether some element of the event's `elements_chain` has the tag. */
export const tagNameCondition = (tagName: string): Expression => inChain(`${literal(tagName)}(?:[.:;]|$)`);

/** Whether the pattern is met from the beginning of some element on. */
const inChain = (pattern: string): Expression => compare(field("elements_chain"), "=~", constant(`${START}${pattern}`));

/** The elements of a selector from left to right; null when it is not one. */
function readSelector(selector: string): Compound[] | null {
  const compounds = [blank()];
  for (let at = 0; at < selector.length; ) {
    const match = TOKEN.exec(selector.slice(at));
    if (match === null) return null;
    at += match[0].length;
    const current = compounds.at(-1)!;
    const { gap, ...simple } = match.groups!;
    if (gap !== undefined && isBlank(current)) return null;
    if (simple.tag !== undefined && !isBlank(current)) return null;
    if (gap === undefined) add(current, simple);
    else {
      current.isParent = gap.includes(">");
      compounds.push(blank());
    }
  }
  return isBlank(compounds.at(-1)!) ? null : compounds;
}

const blank = (): Compound => ({ tag: null, classes: [], attributes: [], isParent: false });
const isBlank = ({ tag, classes, attributes }: Compound): boolean =>
  tag === null && classes.length === 0 && attributes.length === 0;

function add(compound: Compound, simple: Record<string, string | undefined>): void {
  const { tag, className, id, name, nth, count } = simple;
  if (tag !== undefined) compound.tag = tag;
  if (className !== undefined) compound.classes.push(unescaped(className));
  if (id !== undefined) compound.attributes.push({ name: "attr_id", value: unescaped(id) });
  if (nth !== undefined) compound.attributes.push({ name: nth, value: count! });
  if (name !== undefined) {
    const value = simple.double ?? simple.single ?? simple.bare ?? "";
    compound.attributes.push({ name: name === "id" ? "attr_id" : `attr__${name}`, value });
  }
}

/** One element of a chain; its classes and attributes are sorted there. */
function patternOf({ tag, classes, attributes }: Compound): string {
  const head = tag === null ? '[^.:;"]*' : tag === "*" ? '[^.:;"]+' : literal(tag);
  const classPattern = classes.sort().map((name) => `(?:\\.[^";]*)?\\.${literal(name)}`);
  const sorted = attributes.sort((a, b) => (a.name < b.name ? -1 : 1));
  const attributePattern = sorted.map(({ name, value }, i) => {
    // A name stands behind the colon or behind another attribute's value.
    const before = i === 0 ? `[.:](?:${WITHIN}(?::|${QUOTED}))?` : `(?:${WITHIN}${QUOTED})?`;
    return `${before}${literal(name)}="${literal(value.replaceAll('"', '\\"'))}"`;
  });
  const tail = attributes.length > 0 ? WITHIN : `(?:[.:]${WITHIN})?`;
  return [head, ...classPattern, ...attributePattern, tail].join("");
}

const unescaped = (name: string): string => name.replace(/\\(.)/g, "$1");
/** For RE2: what is not a letter or digit of ASCII means itself behind a backslash. */
const literal = (value: string): string => value.replace(/[!-/:-@[-^`{-~]/g, "\\$&");
