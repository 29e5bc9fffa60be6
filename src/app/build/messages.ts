/** What the process that builds is asked for; it answers with a `BuildAnswer`. */
export interface BuildRequest {
  readonly kind: 'build';
}
