/** One question of SDKs: where it is asked and the function that answers it. What it throws is answered as a fault. */
export interface SdkRoute {
  method: "GET" | "POST";
  paths: string[];
  answer(request: Request, params: Record<string, string>): Response | Promise<Response>;
}
