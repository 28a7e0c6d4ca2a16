import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import { integer, join, type Sql, sql, TRUE } from "../sql/sql.ts";

/** The numbers at the beginning of a version, `1.2.3` of `v1.2.3-beta`, as a list that can be ordered; else NULL. */
function versionOf(text: Sql): Sql {
  const numbers = sql`regexp_extract(${text}, '^\\s*[vV]?(\\d+(?:\\.\\d+)*)', 1)`;
  return sql`list_transform(string_split(nullif(${numbers}, ''), '.'), lambda x: TRY_CAST(x AS BIGINT))`;
}

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

const COMPARISONS: Record<string, (left: Sql, right: Sql) => Sql> = {
  semver_eq: (left, right) => sql`${left} = ${right}`,
  semver_gt: (left, right) => sql`${left} > ${right}`,
  semver_lte: (left, right) => sql`${left} <= ${right}`,
};

export const SEMVER_OPERATORS: readonly string[] = [...Object.keys(RANGES), ...Object.keys(COMPARISONS)];

/** Whether a version meets an operator of `SEMVER_OPERATORS`. Errors: TerminalError `invalid_query` for no version. */
export function semverCondition(operator: string, property: Sql, value: string, place: string): Sql {
  const match = /^\s*[vV]?(\d{1,15}(?:\.\d{1,15})*)(\.[*xX])?/.exec(value);
  if (match === null) throw invalidQuery(place, `${shown(value)} is not a version`);
  const given = match[1]!.split(".").map(Number);
  const version = versionOf(property);
  const compare = COMPARISONS[operator];
  if (compare !== undefined) return compare(version, listOf(given));
  const { from, to } = RANGES[operator]!(given);
  const isBelow = to === undefined ? TRUE : sql`${version} < ${listOf(to)}`;
  // DuckDB makes a BETWEEN of two comparisons, which it cannot do for lists.
  return from === undefined ? isBelow : sql`CASE WHEN ${version} >= ${listOf(from)} THEN ${isBelow} END`;
}

const listOf = (version: readonly number[]): Sql => sql`[${join(version.map(integer), ", ")}]`;
