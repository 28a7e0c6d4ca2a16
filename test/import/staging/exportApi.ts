import { gzipSync } from "node:zlib";

/** How the double answers the n-th request (from 1) for a range; null: as usual. */
export type Behaviour = (attempt: number) => Response | null;

/** Rows of a day, for the attempt-th download of it: as the real APIs, which give other orders and late rows. */
export type RowsOf = (day: string, attempt: number) => object[];

/** A double of the export APIs of Mixpanel and Amplitude, that answers in the shapes they were recorded in. */
export class ExportApi {
  /** Paths with their queries, in order. */
  readonly requests: string[] = [];
  readonly authorizations = new Set<string>();
  private readonly attempts = new Map<string, number>();
  private readonly behaviours = new Map<string, Behaviour>();
  private readonly server: Bun.Server<undefined>;

  constructor(
    private readonly rowsOf: RowsOf,
    private readonly profiles: object[] = [],
    private readonly pageSize = 2,
    /** Profiles of groups, by the id of their data group. */
    private readonly groups: Record<string, object[]> = {},
  ) {
    this.server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** How requests that begin at this day, hour or page are answered. */
  behave(range: string, behaviour: Behaviour): void {
    this.behaviours.set(range, behaviour);
  }

  attemptsOf(range: string): number {
    return this.attempts.get(range) ?? 0;
  }

  async close(): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.authorizations.add(request.headers.get("authorization") ?? "");
    this.requests.push(url.pathname + url.search);
    if (url.pathname === "/api/2.0/export") return this.mixpanelDay(url.searchParams);
    if (url.pathname === "/api/query/engage") return this.mixpanelProfiles(new URLSearchParams(await request.text()));
    if (url.pathname === "/api/2/export") return this.amplitudeHours(url.searchParams);
    return new Response("not found", { status: 404 });
  }

  private tried(range: string): { attempt: number; other: Response | null } {
    const attempt = this.attemptsOf(range) + 1;
    this.attempts.set(range, attempt);
    return { attempt, other: this.behaviours.get(range)?.(attempt) ?? null };
  }

  private mixpanelDay(query: URLSearchParams): Response {
    const range = query.get("from_date") ?? "";
    const { attempt, other } = this.tried(range);
    if (other !== null) return other;
    const days = daysOf(range, query.get("to_date") ?? "");
    return new Response(linesOf(days.flatMap((day) => this.rowsOf(day, attempt))));
  }

  private mixpanelProfiles(form: URLSearchParams): Response {
    const page = Number(form.get("page") ?? 0);
    const group = form.get("data_group_id");
    const profiles = group === null ? this.profiles : (this.groups[group] ?? []);
    const { other } = this.tried(group === null ? `page ${page}` : `page ${page} of ${group}`);
    if (other !== null) return other;
    if (page > 0 && form.get("session_id") !== "session-1") return new Response("no session_id", { status: 400 });
    const results = profiles.slice(page * this.pageSize, (page + 1) * this.pageSize);
    const total = profiles.length;
    return Response.json({ page, page_size: this.pageSize, results, session_id: "session-1", status: "ok", total });
  }

  private amplitudeHours(query: URLSearchParams): Response {
    const start = query.get("start") ?? "";
    const range = start === (query.get("end") ?? "") ? start : start.slice(0, 8);
    const { attempt, other } = this.tried(range);
    if (other !== null) return other;
    const day = `${start.slice(0, 4)}-${start.slice(4, 6)}-${start.slice(6, 8)}`;
    const rows = this.rowsOf(day, attempt);
    if (rows.length === 0) return new Response("Raw data files were not found.", { status: 404 });
    const half = Math.ceil(rows.length / 2);
    return new Response(
      zipOf([
        [`1/1_${day}_0#1.json.gz`, gzipSync(linesOf(rows.slice(0, half)))],
        [`1/1_${day}_1#1.json.gz`, gzipSync(linesOf(rows.slice(half)))],
      ]),
    );
  }
}

export function linesOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

function daysOf(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}

/** A zip with these files, as they are (stored). */
export function zipOf(files: readonly (readonly [name: string, bytes: Uint8Array])[]): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(Bun.hash.crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), common, Buffer.from(name), bytes]);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    list.push(Buffer.concat([Buffer.from("504b01021400", "hex"), common, entry, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write("504b0506", "hex");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}
