import { call, compare, constant, list } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";

/** [from, to): a bound that is missing does not count. Shorter lists come before longer ones that begin alike. */
interface VersionRange {
  from?: number[];
  to?: number[];
}

const RANGES: Record<string, (version: number[]) => VersionRange> = {
  semver_tilde: (version) => ({ from: version, to: raised(version, Math.min(1, version.length - 1)) }),
  // The first number that is not 0 may not change.
  semver_caret: (version) => {
    const first = version.findIndex((part) => part !== 0);
    return { from: version, to: raised(version, first < 0 ? version.length - 1 : first) };
  },
  semver_wildcard: (version) => ({ from: version, to: raised(version, version.length - 1) }),
  semver_gte: (version) => ({ from: version }),
  semver_lt: (version) => ({ to: version }),
};

const raised = (version: number[], at: number): number[] => [...version.slice(0, at), version[at]! + 1];

const COMPARISONS: Record<string, string> = { semver_eq: "==", semver_gt: ">", semver_lte: "<=" };

export const SEMVER_OPERATORS: readonly string[] = [...Object.keys(RANGES), ...Object.keys(COMPARISONS)];

/** Whether a version meets an operator of `SEMVER_OPERATORS`. Errors: TerminalError `invalid_query` for no version. */
export function semverCondition(operator: string, property: Expression, value: string, place: string): Expression {
  const match = /^\s*[vV]?(\d{1,15}(?:\.\d{1,15})*)(\.[*xX])?/.exec(value);
  if (match === null) throw invalidQuery(place, `${shown(value)} is not a version`);
  const given = match[1]!.split(".").map(Number);
  const version = call("versionNumbers", property);
  const op = COMPARISONS[operator];
  if (op !== undefined) return compare(version, op, listOf(given));
  const { from, to } = RANGES[operator]!(given);
  const isAbove = from === undefined ? null : compare(version, ">=", listOf(from));
  const isBelow = to === undefined ? null : compare(version, "<", listOf(to));
  if (isAbove === null || isBelow === null) return (isAbove ?? isBelow)!;
  // DuckDB makes a BETWEEN of two comparisons, which it cannot do for lists.
  return call("if", isAbove, isBelow, constant(false));
}

const listOf = (version: readonly number[]): Expression => list(...version.map(constant));
