import { HogqlError } from "../../shape/errors.ts";
import { parser } from "./parse.ts";
import type { Asker } from "./parseLane.ts";
import type { Expression, Order, Select } from "./tree.ts";

/** The tree of one expression. Errors: HogqlError with offsets in the text, RetryableError `queries_busy`. */
export async function parseExpression(text: string, asker: Asker): Promise<Expression> {
  const tree = await parseBehind("SELECT ", text, asker);
  const { select, ...rest } = tree;
  if (select.length === 1 && isBare(rest)) return select[0]!;
  throw new HogqlError(`This must be one expression: ${text.slice(0, 100)}`);
}

/** The tree of one key of ORDER BY, as `timestamp DESC`. Errors: as of `parseExpression`. */
export async function parseOrder(text: string, asker: Asker): Promise<Order> {
  const tree = await parseBehind("SELECT 1 ORDER BY ", text, asker);
  const { select: _, order_by: orders, ...rest } = tree;
  if (orders?.length === 1 && isBare(rest)) return orders[0]!;
  throw new HogqlError(`This must be one key to order by: ${text.slice(0, 100)}`);
}

async function parseBehind(start: string, text: string, asker: Asker): Promise<Select> {
  try {
    const tree = await parser.parse(start + text, asker);
    if (tree.node === "SelectQuery") return placedBack(tree, start.length);
  } catch (error) {
    if (!(error instanceof HogqlError)) throw error;
    const at = (offset: number | null) => (offset === null ? null : Math.max(0, offset - start.length));
    throw new HogqlError(error.message, at(error.start), at(error.end));
  }
  throw new HogqlError(`This must not be several queries: ${text.slice(0, 100)}`);
}

/** A tree with its offsets counted from `by` characters on. What the parser keeps stays as it is. */
function placedBack<T>(part: T, by: number): T {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => placedBack(one, by)) as T;
  const moved = Object.entries(part).map(([key, member]): [string, unknown] => {
    const isPlace = (key === "start" || key === "end") && typeof member?.offset === "number";
    return [key, isPlace ? { offset: Math.max(0, member.offset - by) } : placedBack(member, by)];
  });
  return Object.fromEntries(moved) as T;
}

/** Whether a SELECT has none of these clauses. */
function isBare({ node: _node, start: _start, end: _end, ...clauses }: Omit<Select, "select">): boolean {
  return Object.values(clauses).every((clause) => clause == null || clause === false || isEmpty(clause));
}

const isEmpty = (clause: unknown): boolean =>
  typeof clause === "object" && clause !== null && Object.keys(clause).length === 0;
