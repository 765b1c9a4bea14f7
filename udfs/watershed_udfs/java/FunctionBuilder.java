package watershed.json;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** Turns each call of a SQL function into a call of a static method of JsonFunctions, also in generated code. */
public final class FunctionBuilder extends AbstractFunction1 {
    private final String name, method;
    private final Seq parameterTypes;
    private final DataType result;
    private final boolean isNullForNull;

    /** Types are given in Spark's DDL, those of the parameters as columns of a table. */
    public FunctionBuilder(String name, String method, String parameters, String result, boolean isNullForNull) {
        this.name = name;
        this.method = method;
        this.isNullForNull = isNullForNull;
        this.result = ((StructType) DataType.fromDDL("result " + result)).apply(0).dataType();
        StructType columns = (StructType) DataType.fromDDL(parameters);
        List types = new ArrayList();
        for (int i = 0; i < columns.size(); i++) types.add(columns.apply(i).dataType());
        this.parameterTypes = CollectionConverters.asScala(types).toSeq();
    }

    public Object apply(Object arguments) {
        int given = ((Seq) arguments).size(), wanted = parameterTypes.size();
        if (given != wanted) {
            List counts = new ArrayList();
            counts.add(Integer.valueOf(wanted));
            Platform.throwException(QueryCompilationErrors.wrongNumArgsError(
                    name, CollectionConverters.asScala(counts).toSeq(), given, "", "", ""));
        }
        return new NamedCall(name, new StaticInvoke(JsonFunctions.class, result, method, (Seq) arguments, parameterTypes,
                isNullForNull, true, true, Option.empty()));
    }
}
