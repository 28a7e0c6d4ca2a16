import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS, type JsonObject, TerminalError, UsageError } from "../../types/mod.ts";
import { type Api, bringPart, startDownload } from "../api/mod.ts";
import { stringifyExact } from "../exact.ts";
import { readObjects } from "../objects/mod.ts";
import {
  MANIFEST,
  type Manifest,
  readManifest,
  type TakeoutFile,
  type TakeoutFormat,
  type TakeoutRange,
  writeManifest,
  writeWhole,
} from "./manifest.ts";
import { iso, type Range, weeksOf } from "./ranges.ts";
import { rowCount } from "./rowCount.ts";

export interface TakeoutWish {
  folder: string;
  format: TakeoutFormat;
  /** Acceptance times, epoch milliseconds; null: from the beginning, up to now. */
  fromMs: number | null;
  toMs: number | null;
}

/** Told as it goes on. */
export interface TakeoutProgress {
  model: string;
  /** Of the range that is done, ISO 8601; null for what has no times. */
  to: string | null;
  done: number;
  all: number;
  files: number;
  bytes: number;
}

const COMPRESSION = { Parquet: "zstd", JSONLines: "gzip" } as const;
const END = { Parquet: "parquet", JSONLines: "jsonl.gz" } as const;
const PART_MB = 256;

/**
 * Writes a whole project of Weir or PostHog into a folder, over its API. What is there of an export that was broken off stays, and
 * it goes on; what is there of a whole one is checked and kept. Memory does not grow with the project. Throws UsageError for a folder
 * with another export, TerminalError, RetryableError.
 */
export async function writeTakeout(
  api: Api,
  wish: TakeoutWish,
  o: { signal: AbortSignal; tell(progress: TakeoutProgress): void },
): Promise<Manifest> {
  await mkdir(wish.folder, { recursive: true });
  const manifest = await openManifest(api, wish);
  const taking = new Taking(api, wish.folder, manifest, o);
  await taking.rows();
  await taking.groups();
  await taking.objects();
  await taking.tidy();
  manifest.isComplete = true;
  await writeManifest(wish.folder, manifest);
  return manifest;
}

/** The one that is there already, or a new one whose range is fixed from now on. */
async function openManifest(api: Api, { folder, format, fromMs, toMs }: TakeoutWish): Promise<Manifest> {
  const project = await api.object("");
  const found = readManifest(folder);
  const { url, project: id } = api.address;
  const asked = { from: fromMs === null ? null : iso(fromMs), to: toMs === null ? null : iso(toMs) };
  if (found !== null) {
    const isSame = found.url === url && found.project === id && found.format === format;
    if (isSame && found.asked.from === asked.from && found.asked.to === asked.to) return found;
    throw new UsageError(
      `${folder} has another export (project ${found.project} of ${found.url}): name an empty folder.`,
    );
  }
  if ((await readdir(folder)).some((name) => !name.startsWith(MANIFEST))) {
    throw new UsageError(`${folder} is not empty, and has no export: name an empty folder.`);
  }
  const createdMs = Date.parse(String(project.created_at));
  if (Number.isNaN(createdMs)) throw new TerminalError("api_unknown", "the project does not tell when it was made");
  const from = Math.max(fromMs ?? 0, Math.floor(createdMs / DAY_MS) * DAY_MS);
  const to = Math.min(toMs ?? Number.POSITIVE_INFINITY, await api.nowMs());
  const manifest: Manifest = {
    kind: "weir takeout",
    version: 1,
    ...{ url, project: id, name: String(project.name ?? ""), format },
    asked,
    from: iso(from),
    to: iso(to),
    ranges: [],
    others: [],
    counts: { events: 0, persons: 0 },
    isComplete: false,
  };
  await writeManifest(folder, manifest);
  return manifest;
}

class Taking {
  constructor(
    private readonly api: Api,
    private readonly folder: string,
    private readonly manifest: Manifest,
    private readonly o: { signal: AbortSignal; tell(progress: TakeoutProgress): void },
  ) {}

  async rows(): Promise<void> {
    const { from, to } = this.manifest;
    const whole = { fromMs: Date.parse(from), toMs: Date.parse(to) };
    // Each range of persons looks at all of them. PostHog gives a week at most.
    const isWeir = await this.api.isWeir();
    const ofPersons = isWeir && whole.fromMs < whole.toMs ? [whole] : weeksOf(whole);
    // Some persons have no events, and what is known of them may be older than the project: a Weir is asked for all of them.
    const isOfAll = (model: string) => model === "persons" && isWeir && this.manifest.asked.from === null;
    for (const [model, ranges] of [
      ["persons", ofPersons],
      ["events", weeksOf(whole)],
    ] as const) {
      for (const [done, range] of ranges.entries()) {
        const files = this.known(model, range) ?? (await this.range(model, range, isOfAll(model)));
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
        this.o.tell({ model, to: iso(range.toMs), done: done + 1, all: ranges.length, files: files.length, bytes });
      }
    }
  }

  /** The files of a range that were brought before, where all of them are there as they were. */
  private known(model: string, { fromMs, toMs }: Range): TakeoutFile[] | null {
    const { ranges } = this.manifest;
    const range = ranges.find((one) => one.model === model && one.from === iso(fromMs) && one.to === iso(toMs));
    return range?.files.every((file) => this.isThere(file)) ? range.files : null;
  }

  private isThere({ name, bytes }: TakeoutFile): boolean {
    const path = join(this.folder, name);
    return existsSync(path) && statSync(path).size === bytes;
  }

  private async range(model: "events" | "persons", { fromMs, toMs }: Range, isOfAll: boolean): Promise<TakeoutFile[]> {
    const { format } = this.manifest;
    const [from, to] = [iso(fromMs), iso(toMs)];
    const packing = { format, compression: COMPRESSION[format], maxSizeMb: PART_MB };
    const wish = { model, from: isOfAll ? null : from, to, ...packing };
    const download = await startDownload(this.api, wish, this.o.signal);
    const files: TakeoutFile[] = [];
    await mkdir(join(this.folder, model), { recursive: true });
    for (let part = 0; part < download.parts; part++) {
      const name = `${model}/${nameOf(from)}--${String(part).padStart(4, "0")}.${END[format]}`;
      const aside = join(this.folder, `${name}.new`);
      const check = (path: string) => rowCount(path, format);
      const bringing = { path: aside, check, signal: this.o.signal };
      const { bytes, sha256, checked } = await bringPart(this.api, download, part, bringing);
      files.push({ name, bytes, sha256, records: checked });
      await rename(aside, join(this.folder, name));
    }
    const range: TakeoutRange = { model, from, to, files };
    const others = this.manifest.ranges.filter((one) => one.model !== model || one.from !== from || one.to !== to);
    this.manifest.ranges = [...others, range];
    await writeManifest(this.folder, this.manifest);
    return files;
  }

  /** A file of lines for each type. */
  async groups(): Promise<void> {
    const types = await this.api.get("groups_types/");
    await mkdir(join(this.folder, "groups"), { recursive: true });
    for (const type of Array.isArray(types) ? (types as JsonObject[]) : []) {
      const index = Number(type.group_type_index);
      const name = `groups/${index}.jsonl`;
      const aside = join(this.folder, `${name}.new`);
      const hash = createHash("sha256");
      const file = await open(aside, "w", 0o600);
      let records = 0;
      try {
        for await (const group of this.api.pages(`groups/?group_type_index=${index}`)) {
          const line = `${stringifyExact(group)}\n`;
          hash.update(line);
          records++;
          await file.write(line);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, join(this.folder, name));
      const { size: bytes } = statSync(join(this.folder, name));
      await this.note({ name, bytes, sha256: hash.digest("hex"), records });
    }
  }

  async objects(): Promise<void> {
    const { settings, groupTypes, definitions, objects, left } = await readObjects(this.api);
    const files: Record<string, unknown> = { settings, group_types: groupTypes, ...definitions, left };
    for (const [kind, list] of Object.entries(objects)) files[kind] = list;
    for (const [kind, content] of Object.entries(files)) {
      const records = Array.isArray(content) ? content.length : 1;
      await this.other(`objects/${kind}.json`, `${stringifyExact(content, 2)}\n`, records);
    }
  }

  /** Removes what tries that were broken off have left: what lies in the folder is what the manifest says. */
  async tidy(): Promise<void> {
    const { ranges, others } = this.manifest;
    const listed = new Set([...ranges.flatMap(({ files }) => files), ...others].map(({ name }) => name));
    for (const folder of ["events", "persons", "groups", "objects"]) {
      for (const file of await readdir(join(this.folder, folder)).catch(() => [])) {
        if (!listed.has(`${folder}/${file}`)) await rm(join(this.folder, folder, file));
      }
    }
  }

  private async other(name: string, text: string, records: number): Promise<void> {
    await writeWhole(join(this.folder, name), text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    await this.note({ name, bytes: Buffer.byteLength(text), sha256, records });
  }

  private async note(file: TakeoutFile): Promise<void> {
    const { name, bytes } = file;
    this.manifest.others = [...this.manifest.others.filter((one) => one.name !== name), file];
    await writeManifest(this.folder, this.manifest);
    this.o.tell({ model: name, to: null, done: 1, all: 1, files: 1, bytes });
  }
}

const nameOf = (time: string): string => time.replaceAll(":", "").replace(".000Z", "Z");
