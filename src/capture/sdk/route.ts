/** One question of SDKs: where it is asked and the function that answers it. What it throws is answered as a fault. */
export interface SdkRoute {
  method: "GET" | "POST";
  paths: string[];
  /** `ip` is that of the connection, null when it is not known. */
  answer(request: Request, params: Record<string, string>, ip: string | null): Response | Promise<Response>;
}
