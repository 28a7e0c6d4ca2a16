import { SQLDialect } from "@codemirror/lang-sql";
import { FUNCTIONS } from "./functions.ts";

/** The words of HogQL, as they are offered; some have several parts. */
export const WORDS: readonly string[] = [
  ...[
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "HAVING",
    "ORDER BY",
    "LIMIT",
    "OFFSET",
    "DISTINCT",
    "AS",
    "AND",
    "OR",
    "NOT",
  ],
  ...[
    "IN",
    "LIKE",
    "ILIKE",
    "BETWEEN",
    "IS NULL",
    "IS NOT NULL",
    "NULL",
    "TRUE",
    "FALSE",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
  ],
  ...[
    "END",
    "ASC",
    "DESC",
    "UNION ALL",
    "UNION DISTINCT",
    "INTERSECT",
    "EXCEPT",
    "WITH",
    "JOIN",
    "LEFT JOIN",
    "INNER JOIN",
  ],
  ...["ON", "USING", "INTERVAL", "OVER", "PARTITION BY", "ROWS", "RANGE", "UNBOUNDED", "PRECEDING", "FOLLOWING"],
  ...["CURRENT ROW", "WINDOW", "QUALIFY", "ARRAY JOIN", "LEFT ARRAY JOIN", "COHORT", "ROLLUP", "CUBE", "GROUPING SETS"],
  ...["CAST", "PREWHERE", "VALUES", "FILTER", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"],
];

const lower = (words: readonly string[]): string =>
  [...new Set(words.flatMap((word) => word.toLowerCase().split(" ")))].join(" ");

/** HogQL for CodeMirror: how its texts, names and words look. */
export const HOGQL = SQLDialect.define({
  keywords: lower(WORDS),
  builtin: lower(FUNCTIONS.map(({ name }) => name)),
  types: "integer float string boolean date datetime array tuple",
  backslashEscapes: true,
  identifierQuotes: '`"',
  operatorChars: "*+-%<>!=~/|",
  spaceAfterDashes: false,
});
