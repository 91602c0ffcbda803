import { describeWorkflowStore } from '@workflowlookup/storage/testing';
import { makeFilesStore } from '../support/files-store.ts';

describeWorkflowStore('A files store that polls', makeFilesStore('poll'));
