package watershed;

import io.delta.storage.S3SingleDriverLogStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.AWSServiceIOException;
import org.apache.hadoop.fs.s3a.RemoteFileChangedException;
import org.apache.hadoop.io.IOUtils;

/** Commits of Delta by put-if-absent of S3, so that drivers need not know of one another (ADR 0021). */
public class S3LogStore extends S3SingleDriverLogStore {
    private static final int TRIES = 25;

    public S3LogStore(Configuration configuration) {
        super(configuration);
    }

    public void write(Path path, Iterator actions, Boolean overwrite, Configuration configuration)
            throws IOException {
        if (overwrite.booleanValue()) {
            super.write(path, actions, overwrite, configuration);
            return;
        }
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        while (actions.hasNext()) {
            content.write((actions.next() + "\n").getBytes(StandardCharsets.UTF_8));
        }
        put(path.getFileSystem(configuration), path, content.toByteArray(), TRIES);
    }

    private void put(FileSystem store, Path path, byte[] content, int tries) throws IOException {
        FSDataOutputStreamBuilder file = store.createFile(path);
        file.must("fs.option.create.conditional.overwrite", true);
        try {
            FSDataOutputStream stream = (FSDataOutputStream) file.build();
            stream.write(content);
            stream.close();
        } catch (RemoteFileChangedException taken) {
            // Also where the answer to a first attempt was lost, and a second found its own file.
            if (!Arrays.equals(content, IOUtils.readFullyToByteArray(store.open(path)))) {
                throw new FileAlreadyExistsException(path.toString());
            }
        } catch (AWSServiceIOException undecided) {
            // S3 reports this while another client's put of the same name is in progress: neither object exists yet.
            if (undecided.statusCode() != 409 || tries == 1) {
                throw undecided;
            }
            pause();
            put(store, path, content, tries - 1);
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(200);
        } catch (InterruptedException asked) {
            throw new InterruptedIOException();
        }
    }
}
