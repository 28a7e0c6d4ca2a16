import { select } from "../../../src/query/hogql/syntax/build.ts";
import { parser } from "../../../src/query/hogql/syntax/parse.ts";
import type { Call as CallNode, Expression, Query } from "../../../src/query/hogql/syntax/tree.ts";
import { contextOf, emptyLake } from "../support.ts";
import type { Call } from "./cases.ts";

/** Expressions that are parsed at once. */
const AT_ONCE = 25;
const ASKER = contextOf(emptyLake);

/** A call whose name and arguments are known apart from its text. */
export type NamedCall = Pick<Call, "hogql" | "args"> & { name: string };

/**
 * Trees of calls that are put together of those of their arguments: parsing is most of the time, and the same arguments come
 * again and again. Of a name with so many arguments the first text is parsed as a whole; where that is no plain call, all are.
 */
export class CallTrees {
  private readonly trees = new Map<string, Expression>();
  /** The first call of each name and number of arguments; null where its tree is not that of a call with their trees. */
  private readonly firsts = new Map<string, CallNode | null>();

  /** A SELECT with a column for each call. */
  async selectOf(calls: readonly NamedCall[]): Promise<Query> {
    const news = [...Map.groupBy(calls, wayOf)].flatMap(([way, [first]]) => (this.firsts.has(way) ? [] : [first!]));
    await this.parse([...calls.flatMap(({ args }) => args), ...news].map(({ hogql }) => hogql));
    for (const one of news) this.firsts.set(wayOf(one), this.plainCall(one));
    await this.parse(calls.filter((one) => this.firsts.get(wayOf(one)) === null).map(({ hogql }) => hogql));
    return select(
      calls.map((one) => {
        const first = this.firsts.get(wayOf(one)) ?? null;
        return first === null ? this.trees.get(one.hogql)! : { ...first, args: this.argumentsOf(one) };
      }),
      {},
    );
  }

  private plainCall(one: NamedCall): CallNode | null {
    const tree = this.trees.get(one.hogql)!;
    if (tree.node !== "Call") return null;
    return Bun.deepEquals(withoutPlaces(tree.args), withoutPlaces(this.argumentsOf(one))) ? tree : null;
  }

  private argumentsOf({ args }: NamedCall): Expression[] {
    return args.map(({ hogql }) => this.trees.get(hogql)!);
  }

  private async parse(texts: readonly string[]): Promise<void> {
    const news = [...new Set(texts)].filter((text) => !this.trees.has(text));
    for (let i = 0; i < news.length; i += AT_ONCE) {
      const some = news.slice(i, i + AT_ONCE);
      const tree = await parser.parse(`select ${some.join(", ")}`, ASKER);
      if (tree.node !== "SelectQuery" || tree.select.length !== some.length) throw new Error(`not so many: ${some}`);
      for (const [at, text] of some.entries()) this.trees.set(text, tree.select[at]!);
    }
  }
}

const wayOf = ({ name, args }: NamedCall): string => `${name} ${args.length}`;

/** Trees without the offsets of their nodes in the text. */
function withoutPlaces(trees: readonly Expression[]): unknown {
  return JSON.parse(JSON.stringify(trees, (key, value) => (key === "start" || key === "end" ? undefined : value)));
}
