import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { createFileDecoder } from "avsc";

interface Field {
  id: number;
  name: string;
}

/** Reads a table of Iceberg as its specification says: from the hint to the metadata, manifests, and columns by number. */
export class IcebergReader {
  constructor(private readonly folder: string) {}

  /** Rows of a snapshot, the newest when absent, by names of columns; sorted. */
  async rows(snapshotId?: number): Promise<Record<string, unknown>[]> {
    const metadata = await this.metadata();
    const id = snapshotId ?? metadata["current-snapshot-id"];
    const snapshot = metadata.snapshots.find((each) => each["snapshot-id"] === id)!;
    const schema = metadata.schemas.find((each) => each["schema-id"] === snapshot["schema-id"])!;
    const rows: Record<string, unknown>[] = [];
    for (const { data_file } of await this.entries(snapshot["manifest-list"])) {
      rows.push(...(await rowsOf(pathOf(String(data_file.file_path)), schema.fields)));
    }
    return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }

  async metadata() {
    const number = await Bun.file(join(this.folder, "metadata/version-hint.text")).text();
    return (await Bun.file(join(this.folder, `metadata/v${number}.metadata.json`)).json()) as {
      "current-snapshot-id": number;
      snapshots: { "snapshot-id": number; "manifest-list": string; "schema-id": number }[];
      schemas: { "schema-id": number; fields: Field[] }[];
    };
  }

  /** Data files that are there in the newest snapshot. */
  async dataFiles(): Promise<string[]> {
    const { snapshots } = await this.metadata();
    const entries = await this.entries(snapshots.at(-1)!["manifest-list"]);
    return entries.map(({ data_file }) => String(data_file.file_path)).toSorted();
  }

  private async entries(listAddress: string): Promise<{ data_file: Record<string, unknown> }[]> {
    const entries: { status: number; data_file: Record<string, unknown> }[] = [];
    for (const manifest of await avroRecords(pathOf(listAddress))) {
      entries.push(...((await avroRecords(pathOf(String(manifest.manifest_path)))) as unknown as typeof entries));
    }
    return entries.filter(({ status }) => status !== 2);
  }
}

const pathOf = (address: string): string => new URL(address).pathname;

function avroRecords(path: string): Promise<Record<string, unknown>[]> {
  const records: Record<string, unknown>[] = [];
  return new Promise((resolve, reject) => {
    createFileDecoder(path)
      .on("data", (record: unknown) => records.push(record as Record<string, unknown>))
      .on("end", () => resolve(records))
      .on("error", reject);
  });
}

/** Columns are found by the numbers that the Parquet file gives them. */
async function rowsOf(path: string, fields: readonly Field[]): Promise<Record<string, unknown>[]> {
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const columns = await read(`select name, field_id from parquet_schema('${path}') where field_id is not null`);
  const names = new Map(columns.map(({ name, field_id }) => [Number(field_id), String(name)]));
  const rows = await read(`select * from read_parquet('${path}')`);
  connection.closeSync();
  duckdb.closeSync();
  return rows.map((row) => Object.fromEntries(fields.map(({ id, name }) => [name, row[names.get(id) ?? ""] ?? null])));
}
