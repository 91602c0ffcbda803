/** Ends a call that can't go on before its person has answered: the client asks, and repeats the call. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  /** The result of `tools/call`. */
  readonly result: object;

  constructor(result: object) {
    super('The call has to be repeated with the answer of a person');
    this.result = result;
  }
}
