import type { Part, Query, Value } from "./db.ts";

/** Rows, and as `count` their number, or how many rows a statement without an answer has changed. */
export type Rows = Record<string, unknown>[] & { count: number };

/** Runs a statement: SQL with `?` for each of the values; none where they are absent. */
export type Run = (text: string, values?: readonly Value[]) => Rows;

/** A text with `?` for each of its values. */
interface Bound {
  text: string;
  values: readonly Value[];
}

/** A statement of SQLite, or a part of one. */
class Statement implements Query, Bound {
  readonly [Symbol.toStringTag] = "Statement";
  private answer: Promise<Rows> | null = null;

  constructor(
    readonly text: string,
    readonly values: readonly Value[],
    private readonly run: Run,
  ) {}

  /** It runs once, and at once: SQLite answers before anything else can happen. */
  private answered(): Promise<Rows> {
    this.answer ??= Promise.try(this.run, this.text, this.values);
    return this.answer;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement runs it.
  then<A = Rows, B = never>(done?: Settled<Rows, A>, failed?: Settled<unknown, B>): Promise<A | B> {
    return this.answered().then(done, failed);
  }

  catch<B = never>(failed?: Settled<unknown, B>): Promise<Rows | B> {
    return this.answered().catch(failed);
  }

  finally(settled?: (() => void) | null): Promise<Rows> {
    return this.answered().finally(settled);
  }
}

type Settled<Given, Next> = ((given: Given) => Next | PromiseLike<Next>) | null | undefined;

/** Names of columns with their values, of one row or more. */
class RowsPart {
  constructor(private readonly rows: readonly Readonly<Record<string, unknown>>[]) {}

  /** The part behind a text: `"a" = ?, …` behind `set`, else `("a", …) values (?, …), …`. A column without a value in any row is left out. */
  behind(text: string): Bound {
    const columns = Object.keys(this.rows[0]!).filter((column) => this.rows.some((row) => row[column] !== undefined));
    if (columns.length === 0) throw new TypeError("a row needs a column with a value");
    const values = this.rows.flatMap((row) => columns.map((column) => boundValue(row[column])));
    if (/\bset\s*$/i.test(text)) return { text: columns.map((column) => `${quoted(column)} = ?`).join(", "), values };
    const marks = marksOf(columns);
    return { text: `(${columns.map(quoted).join(", ")}) values ${this.rows.map(() => marks).join(", ")}`, values };
  }
}

/** What a text says of a part: a statement, a name or a list as it is. */
class TextPart implements Bound {
  constructor(
    readonly text: string,
    readonly values: readonly Value[] = [],
  ) {}
}

const isText = (value: unknown): value is Bound => value instanceof Statement || value instanceof TextPart;

/** The text of a template whose values are all bound, which is the same each time. */
const plainTexts = new WeakMap<TemplateStringsArray, string>();

/** The statement of a template. Its values are bound, and parts stand in its text. */
export function statementOf(strings: TemplateStringsArray, given: readonly unknown[], run: Run): Query {
  if (!given.some((value) => isText(value) || value instanceof RowsPart)) {
    const text = plainTexts.getOrInsertComputed(strings, (parts) => parts.join("?"));
    return new Statement(text, given.map(boundValue), run);
  }
  let text = strings[0]!;
  const values: Value[][] = [];
  for (const [i, value] of given.entries()) {
    const part = value instanceof RowsPart ? value.behind(text) : isText(value) ? value : bound(value);
    text += part.text + strings[i + 1]!;
    values.push(part.values as Value[]);
  }
  return new Statement(text, values.flat(), run);
}

/** The part of a name, of a list of values, or of rows. */
export function partOf(given: string | readonly unknown[] | object): Part {
  if (typeof given === "string") return new TextPart(quoted(given));
  if (!Array.isArray(given)) return new RowsPart([given as Record<string, unknown>]);
  // A list needs a value in PostgreSQL, and nothing is NULL.
  if (given.length === 0) return new TextPart("(null)");
  if (typeof given[0] === "object" && given[0] !== null) return new RowsPart(given);
  return new TextPart(marksOf(given), given.map(boundValue));
}

const bound = (value: unknown): Bound => ({ text: "?", values: [boundValue(value)] });

/** `undefined` is no value: NULL. What SQLite cannot hold is refused where it is bound. */
const boundValue = (value: unknown): Value => (value === undefined ? null : (value as Value));

/** A name in quotes; of one with dots each part. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""').replaceAll(".", '"."')}"`;

const marksOf = (values: readonly unknown[]): string => `(${values.map(() => "?").join(", ")})`;
