import { ApiError, call } from "./client.ts";
import type { QueryAnswer, QueryNode } from "./node.ts";
import { pause } from "./pause.ts";
import type { QueryStatus } from "./schema.ts";

/** How far a calculation has come. */
export interface Progress {
  rowsRead: number | null;
  rowsTotal: number | null;
  elapsedMs: number;
}

interface RunOptions {
  /** Ending it ends the calculation on the server, too. */
  signal: AbortSignal;
  /** Calculate again although there is an answer. */
  isForced?: boolean;
  onProgress?(progress: Progress): void;
  /** An older answer that is there while the new one is calculated. */
  onOlder?(answer: QueryAnswer): void;
}

/** Short questions take some 50 ms. */
const FIRST_POLL_MS = 25;
const POLL_GROWTH = 1.3;
const LAST_POLL_MS = 1_000;

/** Asks a question in the background and waits for its answer. Throws ApiError, or AbortError where the signal ended it. */
export async function runQuery(projectId: number, node: QueryNode, options: RunOptions): Promise<QueryAnswer> {
  const params = { project_id: String(projectId) };
  const refresh = options.isForced ? "force_async" : "async";
  const body = { query: node, refresh } as never;
  options.signal.throwIfAborted();
  // It is not ended on the way: the calculation that it begins could not be ended then, since nobody knew its name.
  const answer = (await call("POST /api/environments/{project_id}/query/", {
    params,
    body,
  })) as unknown as QueryAnswer & {
    query_status?: QueryStatus | null;
  };
  const status = answer.query_status;
  if (status === undefined || status === null || status.complete) {
    options.signal.throwIfAborted();
    return finished(answer, status ?? null);
  }
  if (answer.results !== undefined && answer.results !== null) options.onOlder?.(answer);
  return poll(params, status, options);
}

async function poll(
  params: { project_id: string },
  { id }: QueryStatus,
  { signal, onProgress }: RunOptions,
): Promise<QueryAnswer> {
  const route = "GET /api/environments/{project_id}/query/{id}/";
  const startedAtMs = Date.now();
  const cancel = () => {
    void call("DELETE /api/environments/{project_id}/query/{id}/", { params: { ...params, id } }).catch(() => {});
  };
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * POLL_GROWTH, LAST_POLL_MS)) {
      await pause(pauseMs, signal);
      const { query_status: status } = await call(route, { params: { ...params, id }, signal });
      if (status.complete) return finished(status.results as unknown as QueryAnswer, status);
      const { query_progress: progress } = status;
      onProgress?.({
        rowsRead: progress?.rows_read ?? null,
        rowsTotal: progress?.estimated_rows_total ?? null,
        elapsedMs: Date.now() - startedAtMs,
      });
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function finished(answer: QueryAnswer, status: QueryStatus | null): QueryAnswer {
  if (status?.error) throw new ApiError(400, "query_failed", status.error_message ?? "The calculation failed.");
  return status === null ? answer : ((status.results as unknown as QueryAnswer | null) ?? answer);
}
