type FailedChecks = Readonly<Record<string, string>>;

const inBoth: FailedChecks = {
  'completion-complete:completion-complete': 'test_prompt_with_arguments',
  'prompts-get-embedded-resource:prompts-get-embedded-resource': 'test_prompt_with_embedded_resource',
  'prompts-get-simple:prompts-get-simple': 'test_simple_prompt',
  'prompts-get-with-args:prompts-get-with-args': 'test_prompt_with_arguments',
  'prompts-get-with-image:prompts-get-with-image': 'test_prompt_with_image',
  'resources-read-binary:resources-read-binary': 'test://static-binary',
  'resources-read-text:resources-read-text': 'test://static-text',
  'resources-templates-read:resources-templates-read': 'test://template/{id}/data',
  'tools-call-audio:tools-call-audio': 'test_audio_content',
  'tools-call-embedded-resource:tools-call-embedded-resource': 'test_embedded_resource',
  'tools-call-error:tools-call-error': 'test_error_handling',
  'tools-call-image:tools-call-image': 'test_image_content',
  'tools-call-mixed-content:tools-call-mixed-content': 'test_multiple_content_types',
  'tools-call-simple-text:tools-call-simple-text': 'test_simple_text',
  'tools-call-with-progress:tools-call-with-progress': 'test_tool_with_progress',
};

const elicitation = 'test_input_required_result_elicitation';
const inputRequired: FailedChecks = {
  'basic-elicitation:sep-2322-elicitation-incomplete': elicitation,
  'basic-list-roots:sep-2322-list-roots-incomplete': 'test_input_required_result_list_roots',
  'basic-sampling:sep-2322-sampling-incomplete': 'test_input_required_result_sampling',
  'capability-check:sep-2322-respect-client-capabilities': 'test_input_required_result_capabilities',
  'ignore-extra-params:sep-2322-ignore-unexpected-params': elicitation,
  'missing-input-response:sep-2322-missing-response-rerequests': elicitation,
  'multi-round:sep-2322-multi-round-r1': 'test_input_required_result_multi_round',
  'multiple-input-requests:sep-2322-multiple-inputs-incomplete': 'test_input_required_result_multiple_inputs',
  'non-tool-request:sep-2322-non-tool-incomplete': 'test_input_required_result_prompt',
  'request-state:sep-2322-request-state-incomplete': 'test_input_required_result_request_state',
  'result-type:sep-2322-result-type-included': elicitation,
  'tampered-state:sep-2322-reject-tampered-state': 'test_input_required_result_tampered_state',
};

/**
 * The checks that fail at a server without the fixtures of the suite, as `scenario:check`, with the name of the missing
 * fixture. No other check may be listed here.
 */
export const missingFixtures: Readonly<Record<string, FailedChecks>> = {
  '2025-11-25': {
    ...inBoth,
    'elicitation-sep1034-defaults:elicitation-sep1034-general': 'test_elicitation_sep1034_defaults',
    'elicitation-sep1330-enums:elicitation-sep1330-general': 'test_elicitation_sep1330_enums',
    'tools-call-elicitation:tools-call-elicitation': 'test_elicitation',
    'tools-call-sampling:tools-call-sampling': 'test_sampling',
    'tools-call-with-logging:tools-call-with-logging': 'test_tool_with_logging',
  },
  '2026-07-28': {
    ...inBoth,
    ...Object.fromEntries(
      Object.entries(inputRequired).map(([check, name]) => [`input-required-result-${check}`, name]),
    ),
    'server-stateless:sep-2575-http-server-no-independent-requests-on-stream': 'test_streaming_elicitation',
    'server-stateless:sep-2575-missing-capability-http-400': 'test_missing_capability',
    'server-stateless:sep-2575-server-no-log-without-loglevel': 'test_logging_tool',
    'server-stateless:sep-2575-server-rejects-undeclared-capability': 'test_missing_capability',
    'server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription':
      'test_trigger_prompt_change',
  },
};
