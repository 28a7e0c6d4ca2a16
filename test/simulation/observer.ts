import type { Lane } from "../../src/types/mod.ts";
import type { StoredFrame } from "./broker.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

/** A promise that was broken. */
export class Violation extends Error {}

type PositionRow = [generation: number, lane: Lane, partition: number, position: number, poisoned: string];

/**
 * Looks at the store after every transaction that has happened, with statements of its own: positions only go forward, and
 * only by the partition's owner; what the catalog says of events is what the frames below the positions held.
 */
export class Observer {
  commits = 0;
  swaps = 0;
  generation = 0;
  private readonly positions = new Map<string, number>();
  /** Events and set-aside ones, by project, in frames that are settled. */
  private readonly settled = new Map<number, number>();
  /** Events that were in hand when the partition was taken over, three times. */
  readonly suspects = new Set<string>();
  private readonly liveFiles = new Set<string>();
  /** Inputs of the jobs under way, and the jobs that have ended: their ids never come again. */
  private jobs = new Map<string, Set<string>>();
  private readonly endedJobs = new Set<string>();
  private readonly mergingEvents: { generation: number; partition: number; sequence: number }[] = [];

  /** The first promise that was seen broken: the code under test may catch the error. */
  violation: string | null = null;

  constructor(private readonly universe: Universe) {}

  report(text: string): never {
    this.violation ??= text;
    throw new Violation(text);
  }

  isSettled({ generation, lane, partition, sequence, isLost }: StoredFrame): boolean {
    return !isLost && sequence <= (this.positions.get(`${generation}/${lane}/${partition}`) ?? 0);
  }

  /** The broker forgets a frame that is not settled. */
  onLost(frame: StoredFrame): void {
    frame.isLost = true;
  }

  afterMoves(process: Process): void {
    const { store } = this.universe;
    const rows = store.values<PositionRow>("select generation, lane, partition_id, position, poisoned from positions");
    for (const [generation, lane, , , poisoned] of rows) {
      if (poisoned === "[]") continue;
      const inHand = JSON.parse(poisoned) as number[];
      for (const ordinal of inHand.filter((each) => inHand.filter((other) => other === each).length >= 3)) {
        this.suspects.add(`${generation}/${lane}/${Math.floor(ordinal / 2 ** 20)}/${ordinal % 2 ** 20}`);
      }
    }
    this.followPositions(process, rows);
  }

  afterCommit(): void {
    this.commits++;
    this.followFiles();
    this.compareCounts();
  }

  /** Jobs were claimed or have ended. No file is the input of two of them. */
  afterJobs(): void {
    const { store } = this.universe;
    const running = store.rows<{ id: string }>("select id from compaction_jobs").map(({ id }) => id);
    for (const id of this.jobs.keys()) if (!running.includes(id)) this.endedJobs.add(id);
    const jobs = new Map<string, Set<string>>();
    // What it was given first is its own, whatever the store says of it later.
    for (const id of running) jobs.set(id, this.jobs.get(id) ?? this.inputsOf(id));
    this.jobs = jobs;
    for (const [id, inputs] of jobs) {
      for (const [other, others] of jobs) {
        const shared = other === id ? undefined : [...inputs].find((file) => others.has(file));
        if (shared !== undefined) this.report(`two jobs have segment ${shared}: ${id} and ${other}`);
      }
    }
  }

  private inputsOf(jobId: string): Set<string> {
    const { store } = this.universe;
    const inputs = store.values<[string]>(
      "select segment_id from compaction_files where job_id = ? and is_input = 1",
      jobId,
    );
    return new Set(inputs.flat());
  }

  /** What a swap made live is whole, and of a job that has not lost its claim. */
  afterSwap(): void {
    const { store, disk } = this.universe;
    type Live = { id: string; writer: string };
    for (const { id, writer } of store.rows<Live>(
      "select id, writer from segments where state = 'live' and level > 0",
    )) {
      if (this.liveFiles.has(id)) continue;
      this.liveFiles.add(id);
      if (disk.files.get(id)?.isDurable !== true) this.report(`segment ${id} is live, its file is not whole`);
      if (this.endedJobs.has(writer)) this.report(`segment ${id} was made live by a job that had lost its claim`);
    }
  }

  private followPositions(process: Process, rows: readonly PositionRow[]): void {
    const { store } = this.universe;
    for (const [generation, lane, partition, position] of rows) {
      const key = `${generation}/${lane}/${partition}`;
      const before = this.positions.get(key) ?? 0;
      this.generation = Math.max(this.generation, generation);
      if (position === before) continue;
      if (position < before) this.report(`the position of ${key} went back from ${before} to ${position}`);
      const owner = store.rows<{ owner: string }>("select owner from owners where partition_id = ?", partition)[0]
        ?.owner;
      if (owner !== process.name) {
        this.report(`${process.name} moved ${key} to ${position}, which ${owner} owns`);
      }
      this.positions.set(key, position);
      this.settle(generation, lane, partition, before, position);
    }
  }

  private settle(generation: number, lane: Lane, partition: number, from: number, to: number): void {
    if (lane === "identity") return;
    for (const frame of this.universe.broker.accepted) {
      if (frame.lane !== lane || frame.generation !== generation || frame.partition !== partition) continue;
      if (frame.isLost || frame.sequence <= from || frame.sequence > to) continue;
      for (const { teamId, events, dropped } of frame.counts) {
        const sum = events + Object.values(dropped).reduce((a, b) => a + b, 0);
        this.settled.set(teamId, (this.settled.get(teamId) ?? 0) + sum);
      }
    }
  }

  /** Files that have become live must be whole. */
  private followFiles(): void {
    const { store, disk, broker } = this.universe;
    for (const { id } of store.rows<{ id: string }>("select id from segments where state = 'live'")) {
      if (this.liveFiles.has(id)) continue;
      this.liveFiles.add(id);
      const file = disk.files.get(id);
      if (file === undefined || !file.isDurable) this.report(`segment ${id} is live, its file is not whole`);
      this.checkVersions(id, new Set([...file.events, ...file.log].map(({ teamId }) => teamId)));
      for (const { lane, ordinal } of file.events) {
        const [sequence, index] = [Math.floor(ordinal / 2 ** 20), ordinal % 2 ** 20];
        const frame = broker.accepted.find(
          (f) => f.generation === file.generation && f.lane === lane && f.sequence === sequence && !f.isLost,
        );
        if (frame === undefined) this.report(`${lane} ${sequence} is stored, nobody sent it`);
        const { mergeSequence = 0, uuid } = frame.events[index] ?? {};
        if (mergeSequence === 0) continue;
        const copy = broker.accepted.find(
          (f) => f.lane === "identity" && f.sequence === mergeSequence && f.events.some((event) => event.uuid === uuid),
        );
        if (copy === undefined) this.report(`${uuid} is said to merge at ${mergeSequence}, where nothing was stored`);
        this.mergingEvents.push({ generation: file.generation, partition: copy.partition, sequence: mergeSequence });
      }
    }
  }

  /** Answers of these projects may have changed. */
  private checkVersions(id: string, teamIds: ReadonlySet<number>): void {
    const { store } = this.universe;
    for (const teamId of teamIds) {
      const raised = store.rows(
        "select 1 from project_versions where team_id = ? and version = (select live_from from segments where id = ?)",
        teamId,
        id,
      );
      if (raised.length === 0)
        this.report(`segment ${id} is live, and the version of project ${teamId} was not raised`);
    }
  }

  /** accepted = queued + stored + duplicates + dropped + dead letters: what is not above a position is in a count. */
  private compareCounts(): void {
    const { store } = this.universe;
    const rows = store.rows<{ team_id: number; n: number }>(
      "select team_id, sum(events) as n from settled_counts group by team_id",
    );
    const counted = new Map(rows.map(({ team_id, n }) => [team_id, n]));
    for (const teamId of new Set([...counted.keys(), ...this.settled.keys()])) {
      const [is, should] = [counted.get(teamId) ?? 0, this.settled.get(teamId) ?? 0];
      if (is !== should) this.report(`project ${teamId}: ${is} events counted, frames hold ${should}`);
    }
    this.compareMerging();
  }

  private compareMerging(): void {
    const { store } = this.universe;
    const rows = store.rows<{ n: number }>("select coalesce(sum(events), 0) as n from merging");
    const waiting = this.mergingEvents.filter(({ generation, partition, sequence }) => {
      const reached = this.positions.get(`${generation}/identity/${partition}`) ?? 0;
      return generation === this.generation && sequence > reached;
    });
    if (rows[0]!.n !== waiting.length) {
      this.report(`${rows[0]!.n} events are said to wait for their merge, ${waiting.length} do`);
    }
  }
}
