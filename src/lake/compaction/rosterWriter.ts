import { type LiveSegment, PLAIN, type SegmentFacts } from "../catalog/mod.ts";
import { type StoppableEngine, sqlString } from "../engine/mod.ts";
import { grown } from "../people/mod.ts";
import { countRows, erasedRows, keptRows } from "../reading/mod.ts";
import { draftPath, filesOf, type SegmentStore, tableOf } from "../storage/mod.ts";
import { segmentFacts } from "./facts.ts";
import { type MergePlan, ownTeams } from "./inspector.ts";
import { type KnownChanges, movedIn } from "./knownChanges.ts";

/** A roster is written anew by each job that adds to it, so jobs with fewer rows than this share of it leave it alone. */
const ROSTER_SHARE = 1 / 16;

/** Projects whose persons a job gives numbers. */
export function teamsToNumber(plan: MergePlan): number[] {
  return [...ownTeams(plan)].filter((teamId) => {
    const roster = plan.known.rosters.find((known) => known.teamId === teamId);
    const rows = plan.outputs
      .filter(({ teamIds }) => teamIds[0] === teamId)
      .reduce((sum, output) => sum + output.rows, 0);
    return rows >= (roster?.rowCount ?? 0) * ROSTER_SHARE;
  });
}

/** Numbers the persons of a project. */
export class RosterWriter {
  constructor(
    private readonly store: SegmentStore,
    private readonly engine: StoppableEngine,
  ) {}

  /**
   * Writes a project's roster (null while there is none) with the persons of these files too, as they are after the
   * merges; durable when it returns.
   */
  async grow(o: {
    id: string;
    teamId: number;
    roster: LiveSegment | null;
    inputs: readonly LiveSegment[];
    known: KnownChanges;
  }): Promise<SegmentFacts> {
    const { id, teamId, roster, known } = o;
    const own = o.inputs.filter(({ teams }) => teams.some((team) => team.teamId === teamId));
    const read = (files: readonly LiveSegment[]) => this.read(files);
    const columns = "team_id, person_id";
    const rows = keptRows({ kind: "events", files: own, erasures: known.erasures, read, columns });
    const persons = `(select coalesce(m.survivor_id, e.person_id) as id
      from (select distinct team_id, person_id from ${rows} where team_id = ${teamId}) e
      left join ${movedIn(this.store, own, known)} m on m.team_id = e.team_id and m.id = e.person_id)`;
    const before = roster && { table: this.without(roster, known), count: roster.rowCount };
    return this.write(id, grown({ teamId, known: before, persons }), roster === null ? own : [roster]);
  }

  /** Deleted persons in a roster. */
  countErased(roster: LiveSegment, known: KnownChanges): Promise<number> {
    return countRows(this.engine, erasedRows(this.source(roster, known)));
  }

  /** Writes a roster without those; durable when it returns. Null when the project was deleted. */
  async erase(o: { id: string; roster: LiveSegment; known: KnownChanges }): Promise<SegmentFacts | null> {
    const { id, roster, known } = o;
    if (known.erasures.some(({ kind, teamId }) => kind === "project" && teamId === roster.teamId)) return null;
    return this.write(id, `select * from ${this.without(roster, known)} order by person_id`, [roster]);
  }

  private async write(id: string, text: string, inputs: readonly LiveSegment[]): Promise<SegmentFacts> {
    const path = draftPath(this.store.workDirectory, { id, part: "rows" });
    await this.engine.run(
      `copy (${text}) to ${sqlString(path)} (format parquet, compression zstd, use_tmp_file false)`,
    );
    const facts = await segmentFacts(this.engine, this.store, { id, kind: "roster", inputs, ...PLAIN });
    await this.store.publish(filesOf(facts));
    return facts;
  }

  /** A roster in which the numbers of deleted persons have no person: they are not given again. */
  private without(roster: LiveSegment, known: KnownChanges): string {
    const source = this.source(roster, known);
    const erased = erasedRows(source);
    if (erased === null) return this.read([roster]);
    return `(select * from ${keptRows(source)} union all select team_id, null::uuid as person_id, number from ${erased})`;
  }

  private source(roster: LiveSegment, { erasures }: KnownChanges) {
    return {
      kind: "roster",
      files: [roster],
      erasures,
      read: (files: readonly LiveSegment[]) => this.read(files),
    } as const;
  }

  private read(files: readonly LiveSegment[]): string {
    return tableOf(this.store, files);
  }
}
