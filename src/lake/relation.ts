import type { GroupIndex } from "../types/mod.ts";
import type { Snapshot, SnapshotSegment } from "./catalog/types.ts";
import { quoted, RELATION_COLUMNS } from "./columns.ts";
import { sqlString } from "./duckdb.ts";
import { checkSegmentId } from "./files.ts";
import { fold } from "./people/fold.ts";
import { CLASS, LOG_COLUMNS, OP, VERSION } from "./people/logColumns.ts";
import { movedOf, nodesOf } from "./people/nodes.ts";

/**
 * What one snapshot of a project offers to a statement: each method gives the text of a parenthesised SELECT, made of the
 * catalog's ids and integers only. Values of users come in as the text of a parameter (`$3::VARCHAR`).
 */
export interface Relations {
  /**
   * The events, with the columns of `RELATION_COLUMNS`. `persons`: `person_id` is the person after all merges; without
   * it the column is as stored, which costs no look-up.
   */
  events(o: { persons: boolean }): string;
  /**
   * `id` UUID, `created_at` TIMESTAMP, `is_identified` BOOLEAN: one row a person. `properties`: with a column
   * `properties` VARCHAR (JSON object text), which costs reading all that was ever said of anyone.
   */
  persons(o: { properties: boolean }): string;
  /** `distinct_id` VARCHAR, `person_id` UUID: every distinct_id of a person. */
  distinctIds(): string;
  /** `person_id` UUID, `value` VARCHAR (JSON text): one row a person that has the property now. */
  personProperty(key: string): string;
  /** `index` UTINYINT, `key` VARCHAR, `created_at` TIMESTAMP: one row a group. `properties`: as of persons. */
  groups(o: { properties: boolean }): string;
  /** `key` VARCHAR, `value` VARCHAR (JSON text): one row a group of the type that has the property now. */
  groupProperty(index: GroupIndex, key: string): string;
}

/** The relations of a snapshot. Files are named relative to the lake's folder. */
export function relationsOf(snapshot: Snapshot): Relations {
  if (!Number.isSafeInteger(snapshot.teamId)) throw new Error(`no team id: ${snapshot.teamId}`);
  return new SnapshotRelations(snapshot);
}

class SnapshotRelations implements Relations {
  private readonly ofTeam: string;
  private readonly log: string;

  constructor(private readonly snapshot: Snapshot) {
    this.ofTeam = `team_id = ${snapshot.teamId}`;
    this.log = snapshot.logs.length === 0 ? emptyTable(LOG_COLUMNS) : readFiles(snapshot.logs);
  }

  events({ persons }: { persons: boolean }): string {
    const { segments, mergesVersion } = this.snapshot;
    if (segments.length === 0) {
      const columns = RELATION_COLUMNS.map(([name, type]) => `null::${type} as ${quoted(name)}`);
      return `(select ${columns.join(", ")} where false)`;
    }
    const isStale = (segment: SnapshotSegment) => persons && segment.squashedThrough < mergesVersion;
    const parts: string[] = [];
    const settled = segments.filter((segment) => !isStale(segment));
    const stale = segments.filter(isStale);
    if (settled.length > 0) {
      const columns = RELATION_COLUMNS.map(([name]) => quoted(name));
      parts.push(`select ${columns.join(", ")} from ${readFiles(settled)} where ${this.ofTeam}`);
    }
    if (stale.length > 0) {
      const columns = RELATION_COLUMNS.map(([name]) =>
        name === "person_id" ? "coalesce(m.survivor_id, e.person_id) as person_id" : `e.${quoted(name)}`,
      );
      parts.push(`select ${columns.join(", ")} from ${readFiles(stale)} e
        left join ${movedOf(this.log, this.ofTeam)} m on m.id = e.person_id where e.${this.ofTeam}`);
    }
    return `(${parts.join(" union all ")})`;
  }

  persons({ properties }: { properties: boolean }): string {
    const persons = `(with ids as (${this.ids()})
      select person_id as id, make_timestamp(min(at_ms) * 1000) as created_at, bool_or(is_identified) as is_identified
      from ids group by person_id having min(at_ms) is not null)`;
    if (!properties) return persons;
    return `(select p.*, coalesce(f.properties, '{}') as properties from ${persons} p
      left join ${asObjects(this.values(`class = ${CLASS.person}`, "person_id"))} f using (id))`;
  }

  distinctIds(): string {
    return `(with ids as (${this.ids()})
      select distinct_id, person_id from ids
      where person_id in (select person_id from ids where at_ms is not null))`;
  }

  personProperty(key: string): string {
    const values = this.values(`class = ${CLASS.person} and key = ${key}`, "person_id");
    return `(select id as person_id, value from ${values})`;
  }

  groups({ properties }: { properties: boolean }): string {
    const ofGroups = `class >= ${CLASS.group0}`;
    const groups = `(select (class - ${CLASS.group0})::utinyint as index, subject as key,
        make_timestamp(arg_min(at_ms, ${VERSION}) * 1000) as created_at
      from ${this.log} where ${this.ofTeam} and ${ofGroups} and op = ${OP.seen} group by class, subject)`;
    if (!properties) return groups;
    return `(select g.*, coalesce(f.properties, '{}') as properties from ${groups} g
      left join ${asObjects(this.values(ofGroups, "{'class': class, 'key': subject}"))} f
        on f.id = {'class': g.index + ${CLASS.group0}, 'key': g.key})`;
  }

  groupProperty(index: GroupIndex, key: string): string {
    const values = this.values(`class = ${CLASS.group0 + index} and key = ${key}`, "subject");
    return `(select id as key, value from ${values})`;
  }

  /** The properties that hold now of the subjects in a part of the log: `id`, `key`, `value`. */
  private values(part: string, id: string): string {
    const rows = `select ${id} as id, key, op, value, ${VERSION} as v
      from ${this.log} where ${this.ofTeam} and ${part} and op >= ${OP.set}`;
    return fold(rows, id === "person_id" ? this.nodes() : null);
  }

  /** Every distinct_id seen or merged: `distinct_id`, `person_id` after all merges, `at_ms` or NULL, `is_identified`. */
  private ids(): string {
    const seen = `(select person_id as id, any_value(subject) as distinct_id, arg_min(at_ms, ${VERSION}) as at_ms
      from ${this.log} where ${this.ofTeam} and class = ${CLASS.person} and op = ${OP.seen} group by person_id)`;
    const nodes = this.nodes();
    if (nodes === null) return `select distinct_id, id as person_id, at_ms, false as is_identified from ${seen}`;
    return `select coalesce(s.distinct_id, n.distinct_id) as distinct_id, coalesce(n.survivor_id, s.id) as person_id,
        s.at_ms, coalesce(n.is_identified, false) as is_identified
      from ${seen} s full outer join ${nodes} n on n.id = s.id`;
  }

  /** Null where nobody was ever merged. */
  private nodes(): string | null {
    return this.snapshot.mergesVersion === 0 ? null : nodesOf(this.log, this.ofTeam);
  }
}

/** Values as JSON objects: `id`, `properties`. Keys stand in the order of their bytes. */
function asObjects(values: string): string {
  return `(select id, '{' || string_agg(to_json(key)::varchar || ':' || value, ',' order by key) || '}' as properties
    from ${values} group by id)`;
}

function readFiles(segments: readonly SnapshotSegment[]): string {
  return `read_parquet([${segments.map(({ id }) => sqlString(`${checkSegmentId(id)}.parquet`)).join(", ")}])`;
}

function emptyTable(columns: Record<string, string>): string {
  const typed = Object.entries(columns).map(([name, type]) => `null::${type} as ${quoted(name)}`);
  return `(select ${typed.join(", ")} where false)`;
}
