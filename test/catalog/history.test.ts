import { expect, test } from "bun:test";
import { eraseProjects, type HealthFigures, type HealthNote, openCatalog } from "../../src/lake/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { useStores } from "../support/stores.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const LONG = { minutesMs: 1_000 * HOUR, hoursMs: 1_000 * HOUR };
const TEAMS = [1, 2, 3];

interface Minute {
  atMs: number;
  /** Null: nobody wrote. */
  note: HealthNote | null;
}

const figures = (stored: number, o: Partial<HealthFigures> = {}): HealthFigures => {
  const queued = o.queued ?? 0;
  const lagsMs = { live: queued * 7, history: 0, overflow: 0, identity: 0 };
  const none = { duplicates: 0, dropped: 0, deadLetters: 0 };
  return { accepted: stored + queued, stored, queuedMax: queued, lagsMs, ...none, ...o, queued };
};

/** Numbers that are the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

/** Minutes of three projects: mostly quiet ones, some that nobody wrote, some whose figures could not be read. */
function minutesUntil(lastMs: number, count: number, seed: number): Minute[] {
  const roll = dice(seed);
  const stored = new Map(TEAMS.map((team) => [team, 0]));
  return Array.from({ length: count }, (_, i) => {
    const atMs = lastMs - (count - 1 - i) * MINUTE;
    if (roll(12) === 0) return { atMs, note: null };
    if (roll(12) === 0) return { atMs, note: { problem: "broker_unavailable" } };
    const teams = new Map<number, HealthFigures>();
    for (const team of TEAMS) {
      // The third has events once in an hour or two, the second in bursts.
      const isActive = team === 1 || (team === 2 ? i % 40 < 5 : roll(90) === 0);
      stored.set(team, stored.get(team)! + (isActive ? roll(9) : 0));
      if (stored.get(team)! > 0) teams.set(team, figures(stored.get(team)!, { queued: isActive ? roll(4) : 0 }));
    }
    const total = figures([...stored.values()].reduce((a, b) => a + b));
    const machine = { workers: roll(3), files: i, fileBytes: i * 10, diskFreeBytes: 1_000 - i };
    return { atMs, note: { problem: null, teams, total, machine } };
  });
}

const EMPTY = figures(0);
const figuresIn = ({ note }: Minute, team: number): HealthFigures | null =>
  note === null || note.problem !== null ? null : (note.teams.get(team) ?? EMPTY);

/** What an hour says, by plain loops: the last minute's counts, the highest of the others. */
function hourOf(minutes: Minute[], team: number): HealthFigures | null {
  const known = minutes.map((minute) => figuresIn(minute, team)).filter((one) => one !== null);
  const last = known.at(-1);
  if (last === undefined) return null;
  const highest = (read: (one: HealthFigures) => number) => Math.max(...known.map(read));
  return {
    ...last,
    queuedMax: highest((one) => one.queuedMax),
    lagsMs: { ...last.lagsMs, live: highest((one) => one.lagsMs.live) },
  };
}

async function write(db: Db, minutes: readonly Minute[], kept = LONG): Promise<void> {
  const catalog = openCatalog(db);
  for (const { atMs, note } of minutes)
    if (note !== null) expect(await catalog.noteHealth(atMs, note, kept)).toBe(true);
}

for (const { name, withStore } of useStores()) {
  test(`${name}: minutes and hours are read as they were, whatever was left out`, async () => {
    for (const seed of [1, 2, 3]) {
      await withStore(async (db) => {
        const catalog = openCatalog(db);
        const { atMs: lastMs } = await catalog.lastMinute();
        const minutes = minutesUntil(lastMs, 400, seed);
        await write(db, minutes);
        for (const team of TEAMS) {
          for (const steps of [400, 37, 1]) {
            // The test may go on into the next minute: what is compared ends where the minutes end.
            const { fromMs, figures: read, samples } = await catalog.readHealth(team, { step: "minute", steps });
            const past = minutes.filter(({ atMs }) => atMs >= fromMs);
            expect(read.slice(0, past.length)).toEqual(past.map((minute) => figuresIn(minute, team)));
            const problems = past.map(({ note }) => (note === null ? undefined : note.problem));
            expect(samples.slice(0, past.length).map((one) => one?.problem)).toEqual(problems);
          }
          const hours = await catalog.readHealth(team, { step: "hour", steps: 6 });
          for (const [i, hour] of hours.figures.entries()) {
            const fromMs = hours.fromMs + i * HOUR;
            const own = minutes.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + HOUR);
            expect(hour).toEqual(hourOf(own, team));
            const written = own.filter(({ note }) => note?.problem === null).length;
            expect(hours.samples[i]?.samples ?? 0).toBe(written);
          }
        }
      });
    }
  });

  test(`${name}: a project of which nothing is noted has no figures of its own, and sees none of others`, async () => {
    await withStore(async (db) => {
      const catalog = openCatalog(db);
      const { atMs } = await catalog.lastMinute();
      await write(db, minutesUntil(atMs, 30, 4));
      const { figures: read } = await catalog.readHealth(99, { step: "minute", steps: 30 });
      for (const one of read) expect([null, 0]).toContain(one?.accepted ?? null);
    });
  });

  test(`${name}: of many writers of a minute one writes it`, async () => {
    await withStore(async (db) => {
      const catalog = openCatalog(db);
      const { atMs } = await catalog.lastMinute();
      const machine = { workers: 1, files: 1, fileBytes: 1, diskFreeBytes: 1 };
      const noteOf = (stored: number): HealthNote => {
        return { problem: null, teams: new Map([[1, figures(stored)]]), total: figures(stored), machine };
      };
      const wrote = await Promise.all([5, 6, 7, 8].map((stored) => catalog.noteHealth(atMs, noteOf(stored), LONG)));
      expect(wrote.filter((one) => one)).toHaveLength(1);
      const { figures: read } = await catalog.readHealth(1, { step: "hour", steps: 2 });
      expect(read.filter((one) => one !== null)).toEqual([figures([5, 6, 7, 8][wrote.indexOf(true)]!)]);
      const rows: { n: unknown }[] = await db.read((tx) => tx`select sum(samples) as n from health_samples`);
      expect(Number(rows[0]!.n)).toBe(2);
    });
  });

  test(`${name}: what is too old goes, and what is left is read as before`, async () => {
    await withStore(async (db) => {
      const catalog = openCatalog(db);
      const { atMs: lastMs } = await catalog.lastMinute();
      const minutes = minutesUntil(lastMs, 500, 5);
      await write(db, minutes, { minutesMs: 100 * MINUTE, hoursMs: 5 * HOUR });
      const rows: { team_id: unknown; step_ms: unknown; n: unknown }[] = await db.read(
        (tx) => tx`select team_id, step_ms, count(*) as n from health_figures group by team_id, step_ms`,
      );
      for (const { step_ms, n } of rows) expect(Number(n)).toBeLessThanOrEqual(Number(step_ms) === MINUTE ? 102 : 7);
      for (const team of TEAMS) {
        const { fromMs, figures: read } = await catalog.readHealth(team, { step: "minute", steps: 90 });
        const past = minutes.filter(({ atMs }) => atMs >= fromMs);
        expect(read.slice(0, past.length)).toEqual(past.map((minute) => figuresIn(minute, team)));
      }
    });
  });

  test(`${name}: a deleted project is not written any more`, async () => {
    await withStore(async (db) => {
      const catalog = openCatalog(db);
      const { atMs } = await catalog.lastMinute();
      await db.write((tx) => eraseProjects(tx, [2], 0));
      const machine = { workers: 1, files: 1, fileBytes: 1, diskFreeBytes: 1 };
      const teams = new Map(TEAMS.map((team) => [team, figures(team)]));
      await catalog.noteHealth(atMs, { problem: null, teams, total: figures(6), machine }, LONG);
      const rows: { team_id: unknown }[] = await db.read(
        (tx) => tx`select distinct team_id from health_figures order by team_id`,
      );
      expect(rows.map(({ team_id }) => Number(team_id))).toEqual([0, 1, 3]);
    });
  });
}
