/** Reads one path again and again, in a process of its own: `readLoad.ts URL KEY REQUESTS CONNECTIONS`. Prints one line of JSON. */

export interface ReadLoadResult {
  elapsedMs: number;
  latenciesMs: number[];
}

const WARM_UP_REQUESTS = 500;

async function main([url, key, ...numbers]: string[]): Promise<ReadLoadResult> {
  const [requests, connections] = numbers.map(Number) as [number, number];
  const headers = { Authorization: `Bearer ${key}` };
  let left = 0;
  let latenciesMs: number[] = [];
  const connection = async () => {
    while (left-- > 0) {
      const begun = performance.now();
      const response = await fetch(url!, { headers });
      const { is_cached } = (await response.json()) as { is_cached?: boolean };
      if (response.status !== 200 || is_cached !== true) throw new Error(`not from the cache: ${response.status}`);
      latenciesMs.push(performance.now() - begun);
    }
  };
  const run = async (count: number) => {
    left = count;
    await Promise.all(Array.from({ length: connections }, connection));
  };
  await run(WARM_UP_REQUESTS);
  latenciesMs = [];
  const begun = performance.now();
  await run(requests);
  return { elapsedMs: performance.now() - begun, latenciesMs };
}

console.log(JSON.stringify(await main(process.argv.slice(2))));
