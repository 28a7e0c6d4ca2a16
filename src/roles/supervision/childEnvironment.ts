/** Keys in the clear, which only the start of a data folder needs. */
const SECRETS = ["WEIR_PROJECT_API_KEY", "WEIR_PERSONAL_API_KEY"];

/** The environment for a child process: everything but the first keys. */
export function childEnvironment(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
}
