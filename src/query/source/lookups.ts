import type { GroupIndex } from "../../types/mod.ts";
import { integer, join, name, RELATION, type Sql, sql } from "../sql/sql.ts";

/**
 * One relation in a FROM, with what its fields look up elsewhere. A look-up is a LEFT JOIN that is made when a field asks
 * for it, once for each `key`; it gives at most one row, so it never changes how many rows there are.
 */
export class Joined {
  readonly alias: Sql;
  private readonly lookups = new Map<string, { alias: Sql; clause: () => Sql }>();

  constructor(private readonly prefix: string) {
    this.alias = name(prefix);
  }

  /**
   * The alias of the row of `relation` that meets `on`; its columns are NULL where there is none. The relation is asked
   * for by `from`, when it is known what is read of it.
   */
  lookup(key: string, relation: () => Sql, on: (alias: Sql) => Sql): Sql {
    const known = this.lookups.get(key);
    if (known !== undefined) return known.alias;
    const alias = name(`${this.prefix}_${this.lookups.size}`);
    this.lookups.set(key, { alias, clause: () => sql`LEFT JOIN ${relation()} AS ${alias} ON ${on(alias)}` });
    return alias;
  }

  /** Whether anything is looked up. */
  get isJoined(): boolean {
    return this.lookups.size > 0;
  }

  /** The piece of FROM. To be made last: what a field asks for later is missing in it. */
  from(relation: Sql): Sql {
    const own = sql`${relation} AS ${this.alias}`;
    if (this.lookups.size === 0) return own;
    return sql`(${join([own, ...[...this.lookups.values()].map(({ clause }) => clause())], " ")})`;
  }
}

/** A row elsewhere that belongs to each row; everything of it is NULL where there is none. */
abstract class RowLookup {
  protected readsProperties = false;

  constructor(protected readonly joined: Joined) {}

  protected abstract row(): Sql;

  createdAt(): Sql {
    return sql`${this.row()}.created_at`;
  }

  /** JSON object text. */
  properties(): Sql {
    this.readsProperties = true;
    return sql`${this.row()}.properties`;
  }
}

/** The person whose id stands in each row. */
export class PersonLookup extends RowLookup {
  constructor(
    joined: Joined,
    readonly id: () => Sql,
  ) {
    super(joined);
  }

  isIdentified(): Sql {
    return sql`${this.row()}.is_identified`;
  }

  /** JSON text of one property. */
  property(key: string): Sql {
    const id = this.id();
    const found = this.joined.lookup(
      `person property ${key}`,
      () => RELATION.personProperty(key),
      (alias) => sql`${alias}.person_id = ${id}`,
    );
    return sql`${found}.value`;
  }

  protected row(): Sql {
    const id = this.id();
    const relation = () => RELATION.persons({ properties: this.readsProperties });
    return this.joined.lookup("person", relation, (alias) => sql`${alias}.id = ${id}`);
  }
}

/** The group of one type whose key stands in each row. */
export class GroupLookup extends RowLookup {
  constructor(
    joined: Joined,
    private readonly groupIndex: GroupIndex,
    private readonly keyOfRow: () => Sql,
  ) {
    super(joined);
  }

  index(): Sql {
    return sql`${this.row()}.index`;
  }

  key(): Sql {
    return sql`${this.row()}.key`;
  }

  /** JSON text of one property. */
  property(key: string): Sql {
    const found = this.joined.lookup(
      `group ${this.groupIndex} property ${key}`,
      () => RELATION.groupProperty(this.groupIndex, key),
      (alias) => sql`${alias}.key = ${this.keyOfRow()}`,
    );
    return sql`${found}.value`;
  }

  protected row(): Sql {
    const isIt = (alias: Sql) =>
      sql`${alias}.index = ${integer(this.groupIndex)} AND ${alias}.key = ${this.keyOfRow()}`;
    const relation = () => RELATION.groups({ properties: this.readsProperties });
    return this.joined.lookup(`group ${this.groupIndex}`, relation, isIt);
  }
}

/** The number of a group type, or null where it is none. */
export function groupIndexOf(value: unknown): GroupIndex | null {
  return GROUP_INDEXES.find((index) => index === value) ?? null;
}

export const GROUP_INDEXES: readonly GroupIndex[] = [0, 1, 2, 3, 4];
