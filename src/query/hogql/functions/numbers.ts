import { integer, join, type Sql, sql } from "../../sql.ts";
import { unify } from "../convert.ts";
import { typeOf, value } from "../types.ts";
import { type FunctionSpec, scalar, special } from "./spec.ts";

const ofNumber = (write: (x: Sql) => Sql): FunctionSpec => scalar(["float"], "float", write);

/** Rounds to whole numbers or to n places, keeping whole numbers whole. */
const rounding = (write: (x: Sql) => Sql): FunctionSpec =>
  special(["number", "int?"], ([x, places]) => {
    if (x!.type.kind === "int" && places === undefined) return x!;
    if (places === undefined) return value(write(x!.sql), { ...x!.type }, [x!]);
    const factor = sql`pow(10, ${places.sql})`;
    return value(sql`(${write(sql`(${x!.sql} * ${factor})`)} / ${factor})`, typeOf("float", x!.type.nullable), [x!]);
  });

const sameKind = (write: (xs: Sql) => Sql): FunctionSpec =>
  special(["any", "any*"], (args, call) => {
    const { values, type } = unify(args, call);
    return value(
      write(
        join(
          values.map((argument) => argument.sql),
          ", ",
        ),
      ),
      type,
      args,
    );
  });

/** Arithmetic. */
export const NUMBERS: Record<string, FunctionSpec> = {
  // Halves go to the even neighbour, as in ClickHouse.
  round: special(["number", "int?"], ([x, places]) => {
    const n = places?.sql ?? integer(0);
    const rounded =
      x!.type.kind === "int"
        ? sql`CAST(round_even(${x!.sql}, CAST(${n} AS INTEGER)) AS BIGINT)`
        : sql`round_even(${x!.sql}, CAST(${n} AS INTEGER))`;
    return value(rounded, { ...x!.type }, [x!]);
  }),
  floor: rounding((x) => sql`floor(${x})`),
  ceil: rounding((x) => sql`ceil(${x})`),
  abs: scalar(["number"], "same", (x) => sql`abs(${x})`),
  sign: scalar(["float"], "int", (x) => sql`CAST(sign(${x}) AS BIGINT)`),
  sqrt: ofNumber((x) => sql`CASE WHEN ${x} >= 0 THEN sqrt(${x}) END`),
  exp: ofNumber((x) => sql`exp(${x})`),
  ln: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN ln(${x}) END`),
  log: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN ln(${x}) END`),
  log2: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN log2(${x}) END`),
  log10: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN log10(${x}) END`),
  pow: scalar(["float", "float"], "float", (x, y) => sql`pow(${x}, ${y})`),
  intDiv: scalar(["int", "int"], "int", (x, y) => sql`(${x} // ${y})`, true),
  modulo: scalar(["number", "number"], "same", (x, y) => sql`(${x} % ${y})`, true),
  greatest: sameKind((xs) => sql`greatest(${xs})`),
  least: sameKind((xs) => sql`least(${xs})`),
};
