/**
 * Sends a body again and again, in a process of its own: `sender.ts URL FILE TIMES CONNECTIONS HEADERS`. Prints the statuses as
 * JSON.
 */
export {};

const [url, file, times, connections, headers] = process.argv.slice(2) as [string, string, string, string, string];
const body = await Bun.file(file).bytes();
const statuses: number[] = [];
let left = Number(times);
async function connection(): Promise<void> {
  while (left-- > 0) {
    const answer = await fetch(url, { method: "POST", body, headers: JSON.parse(headers) as Record<string, string> });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
}
await Promise.all(Array.from({ length: Number(connections) }, connection));
console.log(JSON.stringify(statuses));
