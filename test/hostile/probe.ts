/**
 * Captures single events and asks a question of its own project, over and over, in a process of its own: `probe.ts URL KEY
 * PERSONAL_KEY ENVIRONMENT`. Ends when its standard input does, and prints a `ProbeReport`.
 */

export interface ProbeReport {
  /** Captures answered 200; each is one event. */
  captured: number;
  /** What other captures were answered, or how their connection failed. */
  lost: string[];
  captureMs: number[];
  answered: number;
  /** What questions were answered other than 200. */
  unanswered: string[];
  answerMs: number[];
}

const CAPTURE_PAUSE_MS = 20;
const ASK_PAUSE_MS = 200;
const REQUEST_MS = 120_000;

async function timed(request: () => Promise<Response>): Promise<{ tookMs: number; failure: string | null }> {
  const begunAtMs = performance.now();
  let failure: string | null = null;
  try {
    const response = await request();
    const text = await response.text();
    if (response.status !== 200) failure = `${response.status} ${text.slice(0, 200)}`;
  } catch (error) {
    failure = String(error);
  }
  return { tookMs: performance.now() - begunAtMs, failure };
}

async function main([url, token, key, environment]: string[]): Promise<ProbeReport> {
  const report: ProbeReport = { captured: 0, lost: [], captureMs: [], answered: 0, unanswered: [], answerMs: [] };
  let isOver = false;
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  const capture = async () => {
    while (!isOver) {
      const event = { api_key: token, event: "probe", distinct_id: "probe", uuid: crypto.randomUUID() };
      const { tookMs, failure } = await timed(() => post("/capture/", {}, event));
      report.captureMs.push(tookMs);
      if (failure === null) report.captured++;
      else report.lost.push(failure);
      await Bun.sleep(CAPTURE_PAUSE_MS);
    }
  };
  const ask = async () => {
    const query = { kind: "HogQLQuery", query: "select count() from events where event = 'asked'" };
    while (!isOver) {
      const headers = { authorization: `Bearer ${key}` };
      const path = `/api/environments/${environment}/query/?refresh=force_blocking`;
      const { tookMs, failure } = await timed(() => post(path, headers, { query }));
      report.answerMs.push(tookMs);
      if (failure === null) report.answered++;
      else report.unanswered.push(failure);
      await Bun.sleep(ASK_PAUSE_MS);
    }
  };
  const both = Promise.all([capture(), ask()]);
  for await (const _ of Bun.stdin.stream()) {
    // Nothing is said; the end is what counts.
  }
  isOver = true;
  await both;
  return report;
}

if (import.meta.main) console.log(JSON.stringify(await main(process.argv.slice(2))));
