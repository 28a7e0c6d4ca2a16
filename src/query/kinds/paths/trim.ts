import {
  alias,
  and,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  select,
} from "../../hogql/syntax/build.ts";
import type { Expression, Join, Query } from "../../hogql/syntax/tree.ts";

/** What stands for the middle of a path that is too long. */
const MIDDLE = "...";

const [FIRST, LAST] = [field("first"), field("last")] as const;
const [S_ACTOR, S_PATH, S_PLACE, S_ITEM] = ["actor", "path", "place", "item"].map((name) => field("s", name)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
const plus = (left: Expression, right: Expression): Expression => arithmetic(left, "+", right);
const minus = (left: Expression, right: Expression): Expression => arithmetic(left, "-", right);
const ONE = constant(1);
const IN_BOTH = and([compare(S_ACTOR, "==", field("p", "actor")), compare(S_PATH, "==", field("p", "path"))]);

/** Parts of the paths whose steps are the rows `steps`: from an item on, or up to one. Paths without it are left out. */
export class Trim {
  private readonly limit: Expression;
  /** The steps that are kept at both ends of a path that is too long. */
  private readonly half: Expression;

  /** `more`: further columns of the steps. */
  constructor(
    stepLimit: number,
    private readonly more: readonly Expression[],
  ) {
    this.limit = constant(stepLimit);
    this.half = constant(Math.floor(stepLimit / 2));
  }

  /** From where an item first stands. */
  after(start: string): Query {
    const place = plus(minus(S_PLACE, FIRST), ONE);
    return this.steps(
      firstPlaces(start, "first"),
      { place },
      ["before", "before_at"],
      [compare(place, ">=", ONE), compare(place, "<=", this.limit)],
    );
  }

  /** Up to where an item first stands: the last steps of them. */
  upTo(end: string): Query {
    const leftOut = call("greatest", minus(LAST, this.limit), constant(0));
    return this.steps(
      firstPlaces(end, "last"),
      { place: minus(S_PLACE, leftOut) },
      ["before", "before_at"],
      [compare(S_PLACE, "<=", LAST), compare(S_PLACE, ">", leftOut)],
    );
  }

  /**
   * From where one item first stands to where the other does behind it, without the steps before. Of a path that is too long the
   * steps in the middle become one.
   */
  between(start: string, end: string): Query {
    const { half } = this;
    const ends = select([alias("actor", S_ACTOR), alias("path", S_PATH), FIRST, alias("last", call("min", S_PLACE))], {
      select_from: stepsWith(firstPlaces(start, "first")),
      where: and([compare(S_ITEM, "==", constant(end)), compare(S_PLACE, ">=", FIRST)]),
      group_by: [S_ACTOR, S_PATH, FIRST],
    });
    const isShort = compare(plus(minus(LAST, FIRST), ONE), "<=", this.limit);
    const beforeTail = minus(LAST, half);
    const middle = plus(FIRST, half);
    const isMiddle = compare(S_PLACE, "==", middle);
    const place = call(
      "if",
      call("or", isShort, compare(S_PLACE, "<=", middle)),
      plus(minus(S_PLACE, FIRST), ONE),
      plus(plus(minus(S_PLACE, beforeTail), half), ONE),
    );
    const item = call("if", call("and", call("not", isShort), isMiddle), constant(MIDDLE), S_ITEM);
    return this.steps(
      ends,
      { place, item },
      [],
      [
        compare(S_PLACE, ">=", FIRST),
        compare(S_PLACE, "<=", LAST),
        call("or", isShort, compare(S_PLACE, "<=", middle), compare(S_PLACE, ">", beforeTail)),
      ],
    );
  }

  /** The steps of paths that have such places, with other values in some columns. */
  private steps(places: Query, others: Record<string, Expression>, also: string[], where: Expression[]): Query {
    const names = ["actor", "path", "place", "item", "at", ...also];
    const columns = names.map((name) => alias(name, others[name] ?? field("s", name)));
    return select([...columns, ...this.more], { select_from: stepsWith(places), where: and(where) });
  }
}

/** The place where an item first stands in each path that has it, as `name`. */
const firstPlaces = (item: string, name: string): Query =>
  select([field("actor"), field("path"), alias(name, call("min", field("place")))], {
    select_from: from("steps"),
    where: compare(field("item"), "==", constant(item)),
    group_by: [field("actor"), field("path")],
  });

const stepsWith = (places: Query): Join => from("steps", "s", joined(places, IN_BOTH, "p"));
