import { join } from "node:path";
import type { Place } from "../backup/mod.ts";
import { TerminalError } from "../types/mod.ts";
import {
  type DataFile,
  type Field,
  type SnapshotFiles,
  schemaIdFor,
  type TableMetadata,
  withSnapshot,
  writeManifest,
  writeManifestList,
} from "./iceberg/mod.ts";

/** A data file, and of what it was made. */
export interface PublishedFile extends DataFile {
  /** In the place. */
  name: string;
  /** Null where the table is written as a whole. */
  segmentId: string | null;
  /** Of the segment, when the file was written. */
  mark: string;
  /** Keys of properties that had a column then. */
  keys: number;
}

/** What a snapshot of a table holds, beside what readers are told. */
export interface TableState {
  format: 1;
  /** Of the catalog. */
  version: number;
  mergesVersion: number;
  files: PublishedFile[];
}

export interface NextState {
  fields: readonly Field[];
  state: TableState;
  nowMs: number;
  /** Snapshots that stay readable. */
  keep: number;
}

/** Whose tables they are: a restored or moved Weir has the same projects, another one has others. */
export interface PublishedProject {
  id: number;
  uuid: string;
}

/** Where tables are published, and of which project. */
export interface Target {
  project: PublishedProject;
  place: Place;
  /** Of the place, for readers: `file:///…` or `s3://…`, without a slash at the end. */
  address: string;
  /** A local folder of its own for what is written before it is put there. */
  scratch: string;
}

const HINT = "version-hint.text";
const stateName = (snapshotId: number) => `${snapshotId}.weir.json`;
const metadataName = (number: number) => `v${number}.metadata.json`;

/** A table of Apache Iceberg, version 2, without a catalog: `metadata/version-hint.text` names the newest metadata. */
export class PublishedTable {
  private constructor(
    private readonly target: Target,
    readonly name: string,
    private readonly number: number,
    private readonly metadata: TableMetadata | null,
    private readonly state: TableState | null,
  ) {}

  /** Throws TerminalError `not_published` where something else lies there, `other_project` where a table of another project does. */
  static async open(target: Target, name: string): Promise<PublishedTable> {
    const at = (file: string) => `${name}/metadata/${file}`;
    const hint = await target.place.text(at(HINT));
    if (hint === null) return new PublishedTable(target, name, 0, null, null);
    const number = Number(hint);
    const metadata = await readJson<TableMetadata>(target, at(metadataName(number)));
    const state = metadata && (await readJson<TableState>(target, at(stateName(metadata["current-snapshot-id"]))));
    if (metadata === null || state?.format !== 1) {
      throw new TerminalError("not_published", `${target.address}/${name} holds a table that Weir did not publish.`);
    }
    const owner = projectIn(metadata);
    if (owner !== null && owner.uuid !== target.project.uuid) {
      throw new TerminalError(
        "other_project",
        `${target.address}/${name} is a table of another project (${owner.id}, ${owner.uuid}): name another place.`,
      );
    }
    return new PublishedTable(target, name, number, metadata, state);
  }

  /** What the next snapshot may keep. Null where nothing says whose it is, as in tables of before: then all is written anew. */
  get known(): TableState | null {
    return this.metadata !== null && projectIn(this.metadata) !== null ? this.state : null;
  }

  /** Puts a written file into the table's folder; it is part of the table with the next commit. */
  async add(path: string, file: string): Promise<{ name: string; address: string }> {
    const name = `${this.name}/data/${file}`;
    await this.target.place.putFile(name, path);
    return { name, address: `${this.target.address}/${name}` };
  }

  /** Of files that the next commit adds. */
  get nextSequence(): number {
    return (this.metadata?.["last-sequence-number"] ?? 0) + 1;
  }

  /** Makes the state the newest snapshot: readers see all of it or nothing. Then removes what no kept snapshot holds. */
  async commit(snapshotId: number, { fields, state, nowMs, keep }: NextState): Promise<void> {
    const { place, address } = this.target;
    const before = new Set(this.state?.files.map((file) => file.name));
    const now = new Set(state.files.map((file) => file.name));
    const files: SnapshotFiles = {
      snapshotId,
      parentId: this.metadata?.["current-snapshot-id"] ?? null,
      sequence: this.nextSequence,
      added: state.files.filter((file) => !before.has(file.name)),
      kept: state.files.filter((file) => before.has(file.name)),
      removed: (this.state?.files ?? []).filter((file) => !now.has(file.name)),
    };
    const list = await this.putManifests(files, fields);
    await place.putText(this.at(stateName(snapshotId)), JSON.stringify(state));
    const location = `${address}/${this.name}`;
    const metadata = withSnapshot(
      this.metadata,
      { uuid: crypto.randomUUID(), location, properties: propertiesOf(this.target.project) },
      { snapshotId, sequence: files.sequence, nowMs, manifestList: list, fields, keep, summary: summaryOf(files) },
    );
    await place.putText(this.at(metadataName(this.number + 1)), JSON.stringify(metadata));
    await place.putText(this.at(HINT), String(this.number + 1));
    await this.tidy(metadata);
  }

  /** Gives the address of the list. */
  private async putManifests(files: SnapshotFiles, fields: readonly Field[]): Promise<string> {
    const { place, address, scratch } = this.target;
    const [manifest, list] = [`${files.snapshotId}-m0.avro`, `snap-${files.snapshotId}.avro`];
    const [manifestPath, listPath] = [join(scratch, manifest), join(scratch, list)];
    await writeManifest(manifestPath, files, { fields, id: schemaIdFor(this.metadata, fields) });
    await writeManifestList(listPath, { path: manifestPath, address: `${address}/${this.at(manifest)}` }, files);
    await place.putFile(this.at(manifest), manifestPath);
    await place.putFile(this.at(list), listPath);
    return `${address}/${this.at(list)}`;
  }

  private at(file: string): string {
    return `${this.name}/metadata/${file}`;
  }

  /** What a killed publisher left goes with it. */
  private async tidy(metadata: TableMetadata): Promise<void> {
    const { place } = this.target;
    const used = new Set([this.at(HINT)]);
    for (const [i, { "snapshot-id": id }] of metadata.snapshots.toReversed().entries()) {
      const names = [stateName(id), `${id}-m0.avro`, `snap-${id}.avro`, metadataName(this.number + 1 - i)];
      for (const name of names) used.add(this.at(name));
      const state = await readJson<TableState>(this.target, this.at(stateName(id)));
      for (const file of state?.files ?? []) used.add(file.name);
    }
    const there = (await place.list()).filter(({ name }) => name.startsWith(`${this.name}/`));
    for (const { name } of there) if (!used.has(name)) await place.remove(name);
  }
}

const PROJECT_ID = "weir.project";
const PROJECT_UUID = "weir.project-uuid";

const propertiesOf = ({ id, uuid }: PublishedProject) => ({ [PROJECT_ID]: String(id), [PROJECT_UUID]: uuid });

function projectIn({ properties }: TableMetadata): PublishedProject | null {
  const uuid = properties[PROJECT_UUID];
  return uuid === undefined ? null : { id: Number(properties[PROJECT_ID]), uuid };
}

async function readJson<T>({ place }: Target, name: string): Promise<T | null> {
  const text = await place.text(name);
  return text === null ? null : (JSON.parse(text) as T);
}

function summaryOf({ added, kept, removed }: SnapshotFiles): Record<string, string> {
  const rows = (files: readonly DataFile[]) => String(files.reduce((sum, file) => sum + file.rows, 0));
  return {
    operation: removed.length > 0 ? "overwrite" : "append",
    "added-data-files": String(added.length),
    "added-records": rows(added),
    "deleted-data-files": String(removed.length),
    "deleted-records": rows(removed),
    "total-data-files": String(added.length + kept.length),
    "total-records": rows([...added, ...kept]),
  };
}
