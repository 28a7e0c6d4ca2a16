/** What the bench calls of chdb, which is installed for the bench alone. */
declare module "chdb" {
  export class Session {
    /** `path`: the folder that holds the tables. */
    constructor(path: string, options: { connectionArgs: string[] });
    queryAsync(text: string, options?: { format: string }): Promise<{ text(): string }>;
    close(): void;
  }
}
