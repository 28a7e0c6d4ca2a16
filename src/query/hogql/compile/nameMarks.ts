import type { NameMarks } from "../../../lake/mod.ts";
import { type Expression, eachChild, type Part } from "../syntax/tree.ts";

/** An event as far as marks of names tell; `name` is null for any name that the expressions do not hold. */
interface NamedEvent {
  name: string | null;
  isPersonless: boolean;
}

/** What the rows of a walk are by the names of their events. */
interface NamedRows {
  steps: Expression;
  excluded: Expression | null;
  /** All of them hold. */
  conditions: readonly Expression[];
}

/** Each is looked at alone: of more DuckDB is faster. */
const MOST_NAMES = 100;
/** A name that is equal to no text of the expressions. */
const ANOTHER = Symbol("another name");
type Known = string | number | boolean | symbol;

/**
 * What events of each name are to a walk, where steps and conditions do no more than compare names with texts: so all other names are alike,
 * and DuckDB is not needed. Null where they do more.
 */
export function nameMarks(rows: NamedRows): NameMarks | null {
  const told = [rows.steps, ...(rows.excluded === null ? [] : [rows.excluded]), ...rows.conditions];
  const names = new Set<string>();
  for (const node of told) addTexts(node, names);
  if (names.size > MOST_NAMES) return null;
  const marks: NameMarks = { named: [], others: [] };
  for (const name of [...names, null]) {
    for (const isPersonless of [false, true]) {
      const mark = markOf(rows, { name, isPersonless });
      if (mark === null) return null;
      if (name !== null) marks.named.push({ name, isPersonless, mark: mark.told });
      else marks.others.push({ isPersonless, mark: mark.told });
    }
  }
  return marks;
}

/** Null where it is not known. */
function markOf({ steps, excluded, conditions }: NamedRows, event: NamedEvent) {
  const held = conditions.map((condition) => evaluated(condition, event));
  const [step, exclusion] = [evaluated(steps, event), excluded === null ? 0 : evaluated(excluded, event)];
  if (!held.every((one) => typeof one === "boolean") || !isMask(step) || !isMask(exclusion)) return null;
  return { told: held.every(Boolean) ? { steps: step, excluded: exclusion } : null };
}

const isMask = (value: Known | null): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31;

/** Null where this does not know what HogQL means. */
function evaluated(node: Expression, event: NamedEvent): Known | null {
  const of = (one: Expression) => evaluated(one, event);
  switch (node.node) {
    case "Alias":
      return of(node.expr);
    case "Constant":
      return constantOf(node.value);
    case "Field":
      if (node.chain.length !== 1) return null;
      if (node.chain[0] === "event") return event.name ?? ANOTHER;
      return node.chain[0] === "personless" ? event.isPersonless : null;
    case "Not": {
      const value = of(node.expr);
      return typeof value === "boolean" ? !value : null;
    }
    case "And":
    case "Or": {
      const values = node.exprs.map(of);
      if (!values.every((value) => typeof value === "boolean")) return null;
      return node.node === "And" ? values.every(Boolean) : values.some(Boolean);
    }
    case "CompareOperation":
      return compared(node.op, of(node.left), node.right.node === "Tuple" ? node.right.exprs.map(of) : of(node.right));
    case "ArithmeticOperation": {
      const [left, right] = [of(node.left), of(node.right)];
      return node.op === "+" && isMask(left) && isMask(right) ? left + right : null;
    }
    case "Call": {
      if (node.name !== "if" || node.args.length !== 3) return null;
      const [condition, then, otherwise] = node.args.map(of);
      return typeof condition !== "boolean" ? null : (condition ? then : otherwise)!;
    }
    default:
      return null;
  }
}

function compared(op: string, left: Known | null, right: Known | null | (Known | null)[]): boolean | null {
  if (!isText(left)) return null;
  if (op === "in" && Array.isArray(right)) return right.every(isText) ? right.includes(left) : null;
  if (Array.isArray(right) || !isText(right)) return null;
  return op === "==" ? left === right : op === "!=" ? left !== right : null;
}

const isText = (value: Known | null): value is string | symbol =>
  typeof value === "string" || typeof value === "symbol";

/** Texts are bound as UTF-8. */
const constantOf = (value: unknown): Known | null =>
  typeof value === "string"
    ? value.toWellFormed()
    : typeof value === "number" || typeof value === "boolean"
      ? value
      : null;

/** Adds the texts of a part of a tree. */
function addTexts(part: Part, into: Set<string>): void {
  if (part.node === "Constant" && typeof part.value === "string") into.add(part.value.toWellFormed());
  eachChild(part, (child) => addTexts(child, into));
}
