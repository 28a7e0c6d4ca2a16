import { type KeyPath, pointerOf } from "../../lake/mod.ts";
import { type Sql, sql, text } from "./sql.ts";

export { pointerOf };

type Path = readonly (string | number)[];

/** A property as text of which the lake has the number too. */
export interface PropertySql extends Sql {
  readonly number: Sql;
}

/** JSON text inside which the lake can read by itself, faster than out of the text. */
export interface StoredJson extends Sql {
  /** The value at a path, as `propertyText`. */
  readonly at: (path: Path) => Sql;
}

/**
 * The value at `path` of a JSON text as text: strings as they are, numbers and booleans as their JSON text,
 * objects and arrays as JSON; NULL where it is missing or JSON null.
 */
export function propertyText(json: Sql | StoredJson, path: Path): Sql {
  return "at" in json ? json.at(path) : sql`json_extract_string(${json}, ${text(pointerOf(path))})`;
}

/** The number in a text, else NULL. */
export function asNumber(value: Sql | PropertySql): Sql {
  return "number" in value ? value.number : sql`TRY_CAST(${digitsOf(value)} AS DOUBLE)`;
}

/** A text that may be read as a number: the engine would skip a `_` among digits. */
export const digitsOf = (text: Sql): Sql => sql`replace(${text}, '_', 'x')`;

/** What one use of the events reads of their properties; the lake has two columns for each path. */
export class KeysRead {
  readonly paths: KeyPath[] = [];
  private readonly known = new Map<string, PropertySql>();

  constructor(private readonly column: (name: `k${number}` | `n${number}`) => Sql) {}

  read(path: KeyPath): PropertySql {
    const place = JSON.stringify(path);
    const known = this.known.get(place);
    if (known !== undefined) return known;
    const i = this.paths.push(path) - 1;
    const property = { ...this.column(`k${i}`), number: this.column(`n${i}`) };
    this.known.set(place, property);
    return property;
  }
}
