import { localFile, Reader } from "../reading/mod.ts";
import { type IngestionStatus, Pressure, type TellWait, type WeirClient } from "../sending/mod.ts";
import { Copies, firstsPath } from "../survey/mod.ts";
import type { ImportedEvent, Source } from "../types.ts";
import { checkSent, settled } from "./check.ts";
import { numbersCopies, uuidOfCopy } from "./copyRules.ts";
import { addCounts, type Counts, noCounts } from "./counts.ts";
import { FrontRules } from "./frontRules.ts";
import { type Between, Judge } from "./judge.ts";
import { isWhole, type Report } from "./report.ts";
import { Packet } from "./sendPass.ts";
import type { Appending, ImportFacts, Phase, Progress, State } from "./state.ts";
import { copiesFolder, firstsFolder, NO_EVENT, needsSurvey, type SurveyFound, surveyRows } from "./surveyPass.ts";
import { type Plan, Walk } from "./walk.ts";

const SAVE_MS = 2_000;
const SHORTER = "is shorter than it was";

/** Where an import is, for people. */
export interface Telling {
  phase: Phase | "staging";
  /** Of the phase: what is done and what there is; `all` is null where it is not known. */
  done: number;
  all: number | null;
  /** Share of the bytes that were read, from 0 to 1; where rows are not known. */
  share: number;
  counts: Counts;
  /** Of the project since the import began; null before the first answer. */
  stored: number | null;
  duplicates: number | null;
  /** What is waited for; null where nothing is. */
  waitsFor: string | null;
}

export interface RunOptions {
  facts: ImportFacts;
  state: State;
  source: Source<unknown>;
  options: unknown;
  plan: Plan;
  weir: WeirClient;
  /** The project key. */
  token: string;
  between: Between;
  mergesIdentical: boolean;
  deviceUsers: number;
  signal: AbortSignal;
  tell(telling: Telling): void;
}

/** One import from its survey to its report. It goes on where it was left. */
export class Run {
  private progress: Progress;
  private readonly rules = new FrontRules();
  private readonly judge: Judge;
  private readonly pressure: Pressure;
  private begin: IngestionStatus | null = null;
  private savedAtMs = 0;
  private waitsFor: string | null = null;
  private rejects: Appending | null = null;

  constructor(private readonly o: RunOptions) {
    this.judge = new Judge(o.options, o.between, this.rules);
    this.progress = this.found() ?? this.fresh();
    this.pressure = new Pressure(o.weir, o.signal, this.tellWait);
  }

  readonly tellWait: TellWait = (reason) => {
    this.waitsFor = reason;
    this.tell();
  };

  /** What was noted, where it is still about the same files. */
  private found(): Progress | null {
    const { state, plan } = this.o;
    const progress = state.readProgress();
    return progress?.fingerprint === plan.fingerprint ? progress : null;
  }

  private fresh(): Progress {
    return {
      phase: "survey",
      fingerprint: this.o.plan.fingerprint,
      done: 0,
      counts: noCounts(),
      ...{ sentBytes: 0, rejectsBytes: 0, survey: null },
    };
  }

  /** Throws TerminalError, RetryableError, and the reason of the signal: all of them leave an import that can go on. */
  async run(): Promise<Report> {
    this.begin = await this.pressure.look();
    this.rules.follow(this.begin.front);
    if (this.progress.phase === "survey") await this.survey();
    if (this.progress.phase === "firsts") await this.sendFirsts();
    if (this.progress.phase === "rows") await this.sendRows();
    if (this.progress.phase === "settle") await this.settle();
    const report = await this.check();
    this.enter("done");
    this.o.state.removeFolders("scratch", "survey");
    return report;
  }

  private get surveyFolder(): string {
    return this.o.state.path("survey");
  }

  private get surveyed(): SurveyFound | null {
    return this.progress.survey as SurveyFound | null;
  }

  private async survey(): Promise<void> {
    const { plan, options, mergesIdentical, deviceUsers } = this.o;
    if (!needsSurvey(plan, options, mergesIdentical)) return this.enter("rows");
    const walk = this.walk();
    const found = await surveyRows({
      ...{ plan, walk, judge: this.judge, options, mergesIdentical, deviceUsers },
      folder: this.surveyFolder,
      tell: (counts) => this.tell({ done: counts.rows, share: walk.readBytes / plan.sizeBytes }),
    });
    this.progress.survey = found;
    this.enter(found.firsts.events > 0 ? "firsts" : "rows");
  }

  private walk(): Walk {
    return new Walk(this.o.plan, { scratch: this.o.state.scratch, signal: this.o.signal });
  }

  private async sendFirsts(): Promise<void> {
    const sent = this.openSent("made.bin");
    const all = this.surveyed!.firsts.events;
    try {
      const packet = this.packet(true, sent, () => this.tell({ all, share: this.progress.done / all }));
      let number = 0;
      for await (const event of firstsIn(firstsFolder(this.surveyFolder))) {
        if (number++ < this.progress.done) continue;
        packet.event(MADE, event, Date.parse(event.timestamp));
        await packet.endRow(number);
      }
      await packet.finish();
    } finally {
      this.save();
      sent.close();
    }
    // Its rows are no rows of the files.
    this.progress.counts.rows = 0;
    this.enter("rows");
  }

  private async sendRows(): Promise<void> {
    const { plan, state, options, mergesIdentical } = this.o;
    const sent = this.openSent("sent.bin");
    this.rejects = state.append("rejects.jsonl", this.progress.rejectsBytes);
    try {
      if (this.rejects === null) throw state.damaged("rejects.jsonl", SHORTER);
      const copies = (this.surveyed?.copies ?? 0) > 0 ? new Copies(copiesFolder(this.surveyFolder)) : null;
      const walk = this.walk();
      const all = this.surveyed?.rows ?? null;
      const tell = () =>
        this.tell({ all, share: all === null ? walk.readBytes / plan.sizeBytes : this.progress.done / all });
      const packet = this.packet(false, sent, tell);
      for await (const rows of walk.rows(this.progress.done)) {
        const isNumbered = copies !== null && !mergesIdentical && numbersCopies(rows.stage, options);
        for (const [i, row] of rows.rows.entries()) {
          const number = rows.first + i;
          const origin = { rows, row };
          const outcome = this.judge.judge(rows.stage, row);
          if (outcome.kind === "event") {
            const { event, atMs } = outcome;
            if (isNumbered && outcome.isNumbered) event.uuid = uuidOfCopy(event, copies.ordinalOf(number));
            packet.event(origin, event, atMs);
          } else if (outcome.kind === "person") packet.person(origin, outcome.person);
          else if (outcome.kind === "rejected") packet.reject(origin, outcome.rejected);
          else packet.leftOut(outcome.kind === "firsts" ? NO_EVENT : outcome.reason);
          const room = packet.endRow(number + 1);
          if (room !== null) await room;
        }
      }
      await packet.finish();
    } finally {
      this.save();
      sent.close();
      this.rejects?.close();
      this.rejects = null;
    }
    this.enter("settle");
  }

  private openSent(name: string): Appending {
    const sent = this.o.state.append(name, this.progress.sentBytes);
    if (sent === null) throw this.o.state.damaged(name, SHORTER);
    return sent;
  }

  private packet(isMade: boolean, sent: Appending, tell: () => void): Packet {
    const { facts, weir, token } = this.o;
    return new Packet({
      ...{ importId: facts.id, weir, token, pressure: this.pressure, isMade },
      rules: this.rules,
      isPacked: !/^https?:\/\/(127\.|localhost|\[::1\])/.test(facts.url),
      onTaken: (records, { counts, rejects, done }) => {
        sent.add(records);
        if (rejects.length > 0) this.rejects?.add(Buffer.from(rejects.join("")));
        addCounts(this.progress.counts, counts);
        Object.assign(this.progress, { done, sentBytes: sent.bytes, rejectsBytes: this.rejects?.bytes ?? 0 });
        if (performance.now() - this.savedAtMs > SAVE_MS) this.save();
        tell();
      },
    });
  }

  private save(): void {
    this.savedAtMs = performance.now();
    this.o.state.writeProgress(this.progress);
  }

  private enter(phase: Phase): void {
    const { counts, survey, rejectsBytes, fingerprint } = this.progress;
    this.progress = { phase, fingerprint, done: 0, counts, sentBytes: 0, rejectsBytes, survey };
    this.save();
    this.tell();
  }

  private async settle(): Promise<void> {
    await settled(this.pressure, this.o.signal, (queued) => this.tell({ done: queued }));
    this.enter("check");
  }

  private async check(): Promise<Report> {
    const { facts, state } = this.o;
    const { rows, made, missingExamples } = await checkSent(this.o.weir, {
      paths: [state.path("sent.bin"), state.path("made.bin")],
      scratch: state.scratch,
      importId: facts.id,
      tell: (done, all) => this.tell({ done, all, share: done / all }),
    });
    const { counts } = this.progress;
    const firsts = this.surveyed?.firsts;
    const found: Omit<Report, "isWhole"> = {
      ...{ id: facts.id, source: facts.source, project: facts.project },
      rows: counts.rows,
      sent: counts.sent,
      stored: rows.stored,
      duplicates: rows.duplicates,
      rejected: counts.rejected,
      leftOut: counts.leftOut,
      persons: counts.persons,
      missing: rows.missing,
      ...{ rejectedBy: counts.rejectedBy, leftOutBy: counts.leftOutBy },
      rejectExamples: counts.rejectExamples ?? {},
      made: { sent: counts.made, refused: counts.madeRefused ?? 0, ...made },
      missingExamples,
      copies: this.surveyed?.copies ?? 0,
      sharedDevices: firsts?.sharedExamples ?? [],
      sharedDeviceCount: firsts?.sharedDevices ?? 0,
      rejects: counts.rejected > 0 ? state.path("rejects.jsonl") : null,
      startedAt: facts.startedAt,
      endedAt: new Date().toISOString(),
    };
    const report = { ...found, isWhole: isWhole(found) };
    state.replace("report.json", report);
    return report;
  }

  private tell(more: Partial<Telling> = {}): void {
    const { phase, done, counts } = this.progress;
    const { status } = this.pressure;
    const since = (name: "stored" | "duplicates") =>
      status === null || this.begin === null ? null : status[name] - this.begin[name];
    this.o.tell({
      ...{ phase, done, all: null, share: 0, counts, waitsFor: this.waitsFor },
      ...{ stored: since("stored"), duplicates: since("duplicates") },
      ...more,
    });
  }
}

/** Firsts are of no single row. */
const MADE = {
  rows: { stage: { name: "made" }, file: "", rows: [], first: 0 },
  row: { line: 0, value: () => ({}), raw: () => "" },
} as unknown as Parameters<Packet["event"]>[0];

async function* firstsIn(folder: string): AsyncGenerator<ImportedEvent> {
  const { signal } = new AbortController();
  const reader = new Reader(await localFile(firstsPath(folder)), { format: "lines", scratch: folder, signal });
  for await (const rows of reader.rows()) for (const row of rows) yield row.value() as unknown as ImportedEvent;
}
