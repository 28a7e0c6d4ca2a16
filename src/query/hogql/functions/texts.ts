import { join, sql } from "../../sql.ts";
import { asText } from "../convert.ts";
import { typeOf, value } from "../types.ts";
import { type FunctionSpec, scalar, special } from "./spec.ts";

/** Texts; lengths of `length` are bytes, those of `lengthUTF8` characters. */
export const TEXTS: Record<string, FunctionSpec> = {
  lower: scalar(["text"], "string", (x) => sql`lower(${x})`),
  upper: scalar(["text"], "string", (x) => sql`upper(${x})`),
  length: special(["any"], ([x], call) => {
    if (x!.type.kind === "array") return value(sql`len(${x!.sql})`, typeOf("int"), [x!]);
    const bytes = asText(x!, call);
    return value(sql`strlen(${bytes.sql})`, typeOf("int", bytes.type.nullable), [x!]);
  }),
  lengthUTF8: scalar(["text"], "int", (x) => sql`length(${x})`),
  concat: scalar(["text", "text*"], "string", (...xs) => sql`(${join(xs, " || ")})`),
  substring: scalar(["text", "int", "int?"], "string", (x, from, n) =>
    n === undefined ? sql`substring(${x}, ${from!})` : sql`substring(${x}, ${from!}, ${n})`,
  ),
  position: scalar(["text", "text"], "int", (x, y) => sql`instr(${x}, ${y})`),
  replaceAll: scalar(["text", "text", "text"], "string", (x, y, z) => sql`replace(${x}, ${y}, ${z})`),
  replaceRegexpAll: scalar(["text", "text", "text"], "string", (x, y, z) => sql`regexp_replace(${x}, ${y}, ${z}, 'g')`),
  replaceRegexpOne: scalar(["text", "text", "text"], "string", (x, y, z) => sql`regexp_replace(${x}, ${y}, ${z})`),
  startsWith: scalar(["text", "text"], "bool", (x, y) => sql`starts_with(${x}, ${y})`),
  endsWith: scalar(["text", "text"], "bool", (x, y) => sql`ends_with(${x}, ${y})`),
  trim: scalar(["text"], "string", (x) => sql`trim(${x})`),
  trimLeft: scalar(["text"], "string", (x) => sql`ltrim(${x})`),
  trimRight: scalar(["text"], "string", (x) => sql`rtrim(${x})`),
  reverse: scalar(["text"], "string", (x) => sql`reverse(${x})`),
  empty: scalar(["text"], "bool", (x) => sql`(coalesce(${x}, '') = '')`, false),
  notEmpty: scalar(["text"], "bool", (x) => sql`(coalesce(${x}, '') <> '')`, false),
};
