import { COMBINATORS, FUNCTION_LIST } from "./functionList.ts";
import { NOTES } from "./functionNotes.ts";

/** A function of HogQL, as the editor explains it. */
export interface SqlFunction {
  name: string;
  /** "quantile(parameters)(float)". */
  call: string;
  /** "number". */
  result: string;
  /** What it is about: "Aggregates". */
  section: string;
  /** What it does, in a sentence; null where its name says it. */
  note: string | null;
}

/** What is no function of the tables, but is called like one. */
const CALLED: readonly SqlFunction[] = [
  {
    name: "arrayJoin",
    call: "arrayJoin(array)",
    result: "an element",
    section: "Arrays",
    note: "A row for each element of the array.",
  },
  {
    name: "matchesAction",
    call: "matchesAction(id or name)",
    result: "boolean",
    section: "Conditions and NULL",
    note: "Whether the event matches an action of the project.",
  },
];

const LISTED: readonly SqlFunction[] = Object.entries(FUNCTION_LIST).flatMap(([section, lines]) =>
  lines
    .trim()
    .split("\n")
    .map((line): SqlFunction => {
      const [call = "", result = ""] = line.split(" → ");
      const name = call.slice(0, call.indexOf("("));
      return { name, call, result, section, note: NOTES[name] ?? null };
    }),
);

/** Every function, in the order of the tables. */
export const FUNCTIONS: readonly SqlFunction[] = [...LISTED, ...CALLED];

const BY_NAME: ReadonlyMap<string, SqlFunction> = new Map(FUNCTIONS.map((one) => [one.name, one]));
const ANY_CASE: ReadonlyMap<string, SqlFunction> = new Map(FUNCTIONS.map((one) => [one.name.toLowerCase(), one]));

/** A function by its name, or an aggregate with its endings (`sumIf`); undefined where there is none. */
export function functionNamed(name: string): SqlFunction | undefined {
  return BY_NAME.get(name) ?? ANY_CASE.get(name.toLowerCase()) ?? combined(name);
}

function combined(name: string): SqlFunction | undefined {
  for (const ending of COMBINATORS) {
    if (!name.endsWith(ending)) continue;
    const inner = functionNamed(name.slice(0, -ending.length));
    if (inner?.section !== "Aggregates") continue;
    return { ...inner, name, call: callWith(inner, name, ending), note: `${inner.name}: ${ENDINGS[ending]}` };
  }
  return undefined;
}

const callWith = ({ call, name: base }: SqlFunction, name: string, ending: string): string => {
  const rest = call.slice(base.length);
  return name + (ending === "If" ? rest.replace(/\)$/, rest.endsWith("()") ? "condition)" : ", condition)") : rest);
};

const ENDINGS: Readonly<Record<string, string>> = {
  If: "over the rows that meet the condition.",
  Distinct: "each value once.",
  OrNull: "NULL over no rows.",
  OrDefault: "zero or empty over no rows.",
  Array: "over the elements of arrays.",
  ForEach: "for each place of arrays.",
  Map: "for each key of maps.",
  ArgMin: "over the rows with the least value of the last argument.",
  ArgMax: "over the rows with the greatest value of the last argument.",
};
