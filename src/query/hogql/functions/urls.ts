import { type Sql, sql, text } from "../../sql/sql.ts";
import { arrayOf, typeOf, value } from "../../value/types.ts";
import { type FunctionSpec, scalar, special } from "./spec.ts";
import { orEmpty } from "./texts.ts";

/** The first group of a pattern in a text, "" where it is not met. */
const group = (x: Sql, pattern: string): Sql => sql`regexp_extract(${x}, ${text(pattern)}, 1)`;

const reading = (pattern: string): FunctionSpec => scalar(["text"], "string", (x) => group(x, pattern));
const without = (pattern: string): FunctionSpec =>
  scalar(["text"], "string", (x) => sql`regexp_replace(${x}, ${text(pattern)}, '')`);

/** With `//` any host, else what has a dot. */
const HOST = "^(?:(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?([^/?#:@]*)|([^/?#:@\\s]+\\.[^/?#:@\\s]+))";
const host = (x: Sql): Sql => sql`(regexp_extract(${x}, ${text(HOST)}, 1) || regexp_extract(${x}, ${text(HOST)}, 2))`;
const bareHost = (x: Sql): Sql => sql`regexp_replace(${host(x)}, '^www\\.', '')`;

/** From the first slash on that is not one of two, behind a host or without one. */
const path = (rest: string, end: string) =>
  scalar(["text"], "string", (x) => {
    const [behindHost, bare] = [`^[^/]*//[^/]*(/${rest})`, `^[^/]*(/(?:[^/?#]${rest})?)${end}$`];
    return sql`(${group(x, behindHost)} || CASE WHEN ${x} NOT LIKE '%//%' OR instr(${x}, '/') < instr(${x}, '//') THEN ${group(x, bare)} ELSE '' END)`;
  });

/** Second levels under which names are given away (`co.uk`): the part before them is the significant one. */
const SECOND_LEVEL = "(?:com|co|org|net|edu|gov|ac)";
const significant = (x: Sql, withRest: boolean): Sql => {
  const rest = `\\.(?:${SECOND_LEVEL}\\.[a-z]{2}|[^.]+)`;
  const pattern = withRest ? `([^.]+${rest})$` : `([^.]+)${rest}$`;
  return group(bareHost(x), pattern);
};

const parameter = (url: Sql, name: Sql): Sql =>
  sql`regexp_extract(${url}, '[?&#;]' || regexp_escape(${name}) || '=([^&#;]*)', 1)`;

const query = (x: Sql): Sql => group(x, "\\?([^#]*)");

/** What has a `=` behind the first `?` or `#`, made something of. */
const parameters = (write: (parameter: Sql) => Sql): FunctionSpec =>
  special(["text"], ([x]) => {
    const parts = sql`string_split_regex(${group(orEmpty(x!), "[?#](.*)$")}, '[&?#;]')`;
    const named = sql`list_filter(${parts}, lambda x: contains(x, '='))`;
    return value(sql`list_transform(${named}, lambda x: ${write(sql`x`)})`, arrayOf(typeOf("string")), [x!]);
  });

/** Parts of addresses; what an address does not have is "". Nothing is decoded but by name. */
export const URLS: Record<string, FunctionSpec> = {
  protocol: reading("^([a-zA-Z][a-zA-Z0-9+.-]*):"),
  domain: scalar(["text"], "string", host),
  domainWithoutWWW: scalar(["text"], "string", bareHost),
  topLevelDomain: scalar(["text"], "string", (x) => group(host(x), "\\.([^.0-9][^.]*)$")),
  firstSignificantSubdomain: scalar(["text"], "string", (x) => significant(x, false)),
  cutToFirstSignificantSubdomain: scalar(["text"], "string", (x) => significant(x, true)),
  port: scalar(
    ["text"],
    "int",
    (x) =>
      sql`CASE WHEN ${x} IS NOT NULL THEN coalesce(TRY_CAST(${group(x, "^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*:([0-9]+)")} AS BIGINT), 0) END`,
  ),
  path: path("[^?#]*", "(?:[?#].*)?"),
  pathFull: path(".*", "(?:[?#].*)?"),
  queryString: scalar(["text"], "string", query),
  fragment: reading("#(.*)$"),
  queryStringAndFragment: scalar(["text"], "string", (x) => {
    // Without a query the fragment keeps its sign.
    return sql`CASE WHEN contains(${x}, '?') THEN ${group(x, "[?](.*)$")} ELSE ${group(x, "(#.*)$")} END`;
  }),
  extractURLParameter: scalar(["text", "text"], "string", parameter),
  extractURLParameters: parameters((x) => x),
  extractURLParameterNames: parameters((x) => sql`string_split(${x}, '=')[1]`),
  cutURLParameter: scalar(
    ["text", "text"],
    "string",
    (x, name) => sql`regexp_replace(${x}, '([?&])' || regexp_escape(${name}) || '=[^&#]*(&|)', '\\1')`,
  ),
  cutWWW: scalar(
    ["text"],
    "string",
    (x) => sql`regexp_replace(${x}, '^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//)www\\.', '\\1')`,
  ),
  cutQueryString: without("\\?[^#]*"),
  cutFragment: without("#.*$"),
  cutQueryStringAndFragment: scalar(["text"], "string", (x) => {
    const cut = (pattern: string): Sql => sql`regexp_replace(${x}, ${text(pattern)}, '')`;
    return sql`CASE WHEN contains(${x}, '?') THEN ${cut("[?].*$")} ELSE ${cut("#.*$")} END`;
  }),
  encodeURLComponent: scalar(["text"], "string", (x) => sql`url_encode(${x})`),
  decodeURLComponent: scalar(["text"], "string", (x) => sql`url_decode(${x})`),
  decodeURLFormComponent: scalar(["text"], "string", (x) => sql`url_decode(replace(${x}, '+', ' '))`),
};
